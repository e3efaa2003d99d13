import SluiceControl
import SluiceModel
import SluiceStore
import SluiceSystem
import SluiceTransfer
import Testing

@Suite("Moving queues: trouble on the way")
struct CopyTroubleTests {
    private func fill(_ store: any QueueStore) throws {
        try store.enqueue(
            (1...4).map { number in
                request("a\(number)") {
                    if number == 1 { $0.groupStart = "g" } else { $0.groupMembers = ["g"] }
                }
            }, to: "a")
        try store.enqueue([request("b1"), request("b2")], to: "b")
    }

    @Test("D13 P2 a copy that was cut off at any write goes on where it was", arguments: [0, 1])
    func cutOff(end: Int) throws {
        let ground = try Ground()
        var step = 0
        while true {
            step += 1
            let faults = WriteFaults()
            let first = MemoryStore(identity: "A", faults: end == 0 ? faults : nil)
            let second = MemoryStore(identity: "B", faults: end == 1 ? faults : nil)
            try fill(first)
            let former = try (first.content("a"), first.content("b"))
            faults.fail(from: step)
            let broken = try ground.copy(first, to: second)
            let wasCut = broken.error != nil
            #expect(broken.error.map(\.code) == (wasCut ? .diskFull : nil))
            faults.fail(from: nil)
            for queue in ["a", "b"] {
                let isOpenThere = try second.readBlocking { reader in
                    try reader.queue(named: queue).map { $0.move == nil } ?? false
                }
                // Never worked at both ends.
                let isWorkedHere = try first.move(queue) == nil
                #expect(!(isOpenThere && isWorkedHere), "step \(step)")
            }
            let report = try ground.copy(first, to: second)
            #expect(report.error == nil && report.skipped == 0)
            #expect(try second.content("a") == former.0 && second.content("b") == former.1)
            #expect(try second.move("a") == nil && first.move("a")?.cause == .moved)
            guard wasCut else { break }
        }
        #expect(step > 8)
    }

    @Test("D13 only the queue on its way is paused, and says so; the others are worked and filled")
    func liveOthers() throws {
        let ground = try Ground()
        let (first, second) = (MemoryStore(identity: "A"), MemoryStore(identity: "B"))
        try fill(first)
        let refused = Protected<[QueueError.Code]>([])
        let causes = Protected<Set<String>>([])
        let report = try ground.copy(first, to: second) {
            $0.queues = ["a"]
        } watching: { _ in
            try? first.enqueue([request("more")], to: "b")
            do {
                try first.enqueue([request("more")], to: "a")
            } catch {
                let code = (error as? QueueError)?.code ?? .denied
                refused.withLock { $0.append(code) }
            }
            let pause = try? first.move("a")
            causes.withLock { _ = $0.insert("\(pause?.cause.rawValue ?? "none")") }
            return .goOn
        }
        #expect(report.queues.map(\.outcome) == [.moved])
        #expect(refused.withLock { !$0.isEmpty && $0.allSatisfy { $0 == .enqueuePaused } })
        #expect(causes.withLock { $0 } == ["moving"])
        #expect(try first.move("b") == nil && first.all("b").count > 2)
    }

    @Test("D13 what people change in a queue on its way is at the target in the end")
    func changed() throws {
        let ground = try Ground()
        let (first, second) = (MemoryStore(identity: "A"), MemoryStore(identity: "B"))
        try fill(first)
        let looks = Protected(0)
        let report = try ground.copy(first, to: second) {
            $0.queues = ["a"]
        } watching: { _ in
            let look = looks.withLock { count in
                count += 1
                return count
            }
            let control = ground.control(first)
            switch look {
            case 2:
                _ = try? control.performBlocking(
                    .delete([TaskTarget(1)], cancelsRunning: false, members: .release))
            case 3: _ = try? control.performBlocking(.move(TaskTarget(4), .first))
            case 4: _ = try? first.writeBlocking { try $0.remove([2]) }
            default: break
            }
            return .goOn
        }
        #expect(report.queues.map(\.outcome) == [.moved])
        #expect((report.queues.first?.looks ?? 0) > 3)
        #expect(try second.content("a") == first.content("a"))
        #expect(try second.all("a").count == 3)
        #expect(try second.writeBlocking { try $0.rebuildIndexes() } == [])
    }

    @Test("D13 a queue that is resumed on its way stays where it is")
    func resumed() throws {
        let ground = try Ground()
        let (first, second) = (MemoryStore(identity: "A"), MemoryStore(identity: "B"))
        try fill(first)
        let report = try ground.copy(first, to: second) {
            $0.queues = ["a"]
        } watching: { _ in
            _ = try? ground.control(first).performBlocking(.resume(.queue("a")))
            return .goOn
        }
        #expect(report.skipped == 1)
        #expect(try first.move("a") == nil && second.move("a")?.cause == .moving)
        #expect(try ground.copy(first, to: second).skipped == 0)
    }

    @Test("D13 a copy that is stopped lets work go on at the source")
    func stopped() throws {
        let ground = try Ground()
        let (first, second) = (MemoryStore(identity: "A"), MemoryStore(identity: "B"))
        try fill(first)
        let report = try ground.copy(first, to: second, watching: { _ in .stop })
        #expect(report.isStopped && report.queues.isEmpty)
        #expect(try first.move("a") == nil)
    }
}
