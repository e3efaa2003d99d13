import SluiceControl
import SluiceModel
import SluiceStore
import SluiceSystem
import SluiceTransfer
import Testing

@Suite("Moving queues to another store")
struct CopyTests {
    @Test("D13 queues come to another engine and back with all they are", arguments: CopyTarget.all)
    func roundTrip(_ target: CopyTarget) throws {
        let ground = try Ground()
        let first = try ground.sqlite("a.db")
        try RichStore.fill(first)
        let former = try ["mail", "site", "up"].map { try first.content($0) }
        let second = try target.make(ground)
        defer { second.close() }
        let there = try ground.copy(first, to: second)
        #expect(there.queues.map(\.name) == ["mail", "site", "up"])
        #expect(there.queues.allSatisfy { $0.outcome == .moved && $0.renumbered == 0 })
        #expect(there.queues.allSatisfy { $0.looks == 2 && $0.digest?.count == 32 })
        #expect(there.queues.map(\.tasks).reduce(0, +) == RichStore.states.count + 1)
        let moved = try ["mail", "site", "up"].map { try second.content($0) }
        #expect(moved == former)
        #expect(try second.move("mail") == nil)
        #expect(try second.writeBlocking { try $0.rebuildIndexes() } == [])
        let pause = try #require(try first.move("mail"))
        #expect(pause.cause == .moved && pause.reason == "moved to \(second.name)")
        let third = try ground.sqlite("c.db")
        let back = try ground.copy(second, to: third)
        #expect(back.queues.map(\.digest) == there.queues.map(\.digest))
        #expect(try ["mail", "site", "up"].map { try third.content($0) } == former)
        // The next number follows all of theirs.
        try third.enqueue([request("new")], to: "site")
        #expect(try third.all("site").last?.id == TaskID(RichStore.states.count) + 2)
    }

    @Test(
        "D13 P6 a folder's queue comes to another engine, and the folder stays as its app wrote it",
        arguments: CopyTarget.all)
    func folder(_ target: CopyTarget) throws {
        let ground = try Ground()
        let first = try ground.folder("site")
        try first.enqueue(
            [
                request("identify") { $0.groupStart = "g" },
                request("track") { $0.groupMembers = ["g"] }, request("page"),
            ], to: "site")
        let former = try first.content("site")
        let inventory = try ground.text("site/inventory.json")
        let second = try target.make(ground)
        defer { second.close() }
        let report = try ground.copy(first, to: second)
        #expect(report.queues.map(\.outcome) == [.moved] && report.error == nil)
        #expect(report.queues.map(\.tasks) == [3])
        #expect(try second.content("site") == former)
        #expect(try second.writeBlocking { try $0.rebuildIndexes() } == [])
        let pause = try #require(try first.move("site"))
        #expect(pause.cause == .moved)
        #expect(try ground.text("site/inventory.json") == inventory)
        #expect(try ground.copy(first, to: second).queues.map(\.outcome) == [.movedBefore])
    }

    @Test("D13 a store is not copied to itself, nor to a copy of its own file")
    func itself() throws {
        let ground = try Ground()
        let store = try ground.sqlite("a.db")
        let error = #expect(throws: QueueError.self) {
            try ground.copy(store, to: try ground.sqlite("a.db"))
        }
        #expect(error?.code == .notLegal)
    }

    @Test("D13 a queue that the target has already is left out, and goes on where it is")
    func notEmpty() throws {
        let ground = try Ground()
        let (first, second) = (MemoryStore(identity: "A"), MemoryStore(identity: "B"))
        for queue in ["a", "b", "c"] {
            try first.enqueue([request("\(queue)1"), request("\(queue)2")], to: queue)
        }
        try second.enqueue([request("own")], to: "b")
        let report = try ground.copy(first, to: second)
        #expect(report.skipped == 1 && report.error == nil)
        #expect(try first.move("b") == nil && second.types("b") == ["own"])
        #expect(try second.types("a") == ["a1", "a2"] && second.types("c") == ["c1", "c2"])
        // #1 is taken there, and the others keep their numbers.
        #expect(report.queues.map(\.renumbered) == [1, 0, 0])
        #expect(try second.all("a").map(\.id) == [7, 2])
        #expect(try second.all("c").map(\.id) == [5, 6])
        let again = try ground.copy(first, to: second) { $0.queues = ["a", "c"] }
        #expect(again.queues.allSatisfy { $0.outcome == .movedBefore && $0.late == 0 })
    }

    @Test("D13 what runs is waited for; where it goes on for too long the queue is left out")
    func running() throws {
        let ground = try Ground()
        let (first, second) = (MemoryStore(identity: "A"), MemoryStore(identity: "B"))
        try first.enqueue([request("one"), request("two")], to: "q")
        try first.writeBlocking { writer in
            var task = try writer.requireTask(1)
            task.state = .running(Running(owner: 4, token: 9, attempt: 1, since: at(0)))
            try writer.update([task])
        }
        let rehearsal = try StoreCopy.rehearse(
            from: ground.control(first), to: ground.control(second))
        #expect(rehearsal.queues.first?.running == 1)
        let report = try ground.copy(first, to: second)
        guard case .skipped(let error)? = report.queues.first?.outcome else {
            Issue.record("it was moved")
            return
        }
        #expect(error.message == "#1 of q still runs after 0 ms", "\(error.message)")
        #expect(try first.move("q") == nil)
        // It ends while the copy waits.
        let waited = try ground.copy(first, to: second) {
            $0.waitMilliseconds = 60_000
        } watching: { _ in
            try? first.writeBlocking { writer in
                var task = try writer.requireTask(1)
                guard task.running != nil else { return }
                task.state = .waiting(Waiting())
                try writer.update([task])
            }
            return .goOn
        }
        #expect(waited.queues.map(\.outcome) == [.moved])
        #expect(try second.types("q") == ["one", "two"])
    }

    @Test("D13 nothing is executed in a store from which a queue is moved")
    func elsewhere() throws {
        let ground = try Ground()
        let (first, second) = (MemoryStore(identity: "A"), MemoryStore(identity: "B"))
        try first.enqueue([request("one")], to: "q")
        _ = try ground.copy(first, to: second)
        let control = ground.control(first)
        #expect(throws: QueueError.self) {
            try control.performBlocking(.run(queue: "q", limit: nil))
        }
        let error = #expect(throws: QueueError.self) {
            try first.act { _ = try $0.enqueue([request("two")], to: "q") }
        }
        #expect(error?.code == .enqueuePaused)
        // An effect is never rejected (A3), and the next copy includes it.
        try first.act { _ = try $0.enqueue([request("late")], to: "q", isEffect: true) }
        let late = try ground.copy(first, to: second)
        #expect(late.queues.map(\.outcome) == [.movedBefore] && late.queues.map(\.late) == [1])
        #expect(try second.types("q") == ["one", "late"])
        #expect(try ground.copy(first, to: second).queues.map(\.late) == [0])
    }

    @Test("D13 a queue that was moved comes back with what has become of it")
    func back() throws {
        let ground = try Ground()
        let (first, second) = (MemoryStore(identity: "A"), MemoryStore(identity: "B"))
        try first.enqueue((1...4).map { request("t\($0)") }, to: "q")
        _ = try ground.copy(first, to: second)
        try second.writeBlocking { try $0.remove([2]) }
        try second.act {
            try $0.apply(.edit([.label("x")]), to: try $0.store.requireTask(3))
            _ = try $0.enqueue([request("t5")], to: "q")
        }
        let report = try ground.copy(second, to: first)
        #expect(report.queues.map(\.outcome) == [.moved])
        #expect(try first.content("q") == second.content("q"))
        #expect(try first.types("q") == ["t1", "t3", "t4", "t5"])
        #expect(try first.move("q") == nil && second.move("q")?.cause == .moved)
    }

    @Test("D13 a copy that stays behind is paused, and brought up to date by the next one")
    func stay() throws {
        let ground = try Ground()
        let (first, second) = (MemoryStore(identity: "A"), MemoryStore(identity: "B"))
        try first.enqueue((1...3).map { request("t\($0)") }, to: "q")
        let report = try ground.copy(first, to: second) { $0.staysInSource = true }
        #expect(report.queues.map(\.outcome) == [.copied])
        #expect(try first.move("q") == nil && second.move("q")?.cause == .moved)
        try first.writeBlocking { try $0.remove([1]) }
        try first.enqueue([request("t4")], to: "q")
        _ = try ground.copy(first, to: second) { $0.staysInSource = true }
        #expect(try second.types("q") == ["t2", "t3", "t4"])
        #expect(try ground.copy(first, to: second).queues.map(\.outcome) == [.moved])
        #expect(try second.move("q") == nil)
    }

    @Test("D13 what was at the target before and is done does not come again by itself")
    func gone() throws {
        let ground = try Ground()
        let (first, second) = (MemoryStore(identity: "A"), MemoryStore(identity: "B"))
        try first.enqueue([request("one"), request("two")], to: "q")
        _ = try ground.copy(first, to: second)
        try second.writeBlocking { try $0.removeQueue(named: "q") }
        let control = ground.control(first)
        try control.performBlocking(.resume(.queue("q")))
        #expect(try ground.copy(first, to: second).skipped == 1)
        #expect(try first.move("q") == nil)
        let again = try ground.copy(first, to: second) { $0.again = true }
        #expect(again.queues.map(\.outcome) == [.moved])
        #expect(try second.types("q") == ["one", "two"])
    }
}
