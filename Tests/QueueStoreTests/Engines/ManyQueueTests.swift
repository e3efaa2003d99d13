import SluiceModel
import SluiceStore
import Testing

@Suite("Many queues")
struct ManyQueueTests {
    private func bench(_ engine: Engine) throws -> Bench {
        let bench = try Bench(engine)
        try bench.write { writer in
            for number in 0..<20 { try writer.makeQueue("q\(number)") }
        }
        return bench
    }

    /// The queues in use, as far as an engine distinguishes them.
    private func inUse(_ reader: any StoreReader, _ marks: WaitFlags = []) throws -> [String] {
        let names = try reader.queues(.inUse(marks)).map(\.record.name)
        return names.count == 20 ? [] : names
    }

    @Test("K6 the queues with work are told apart from those without", arguments: Engine.all)
    func inUse(_ engine: Engine) throws {
        let bench = try bench(engine)
        guard try bench.read({ try $0.queues(.inUse([])).count }) < 20 else { return }
        try bench.write { writer in
            try writer.add(3, to: "q7")
            let names = try inUse(writer)
            #expect(names == ["q7"])
        }
        #expect(try bench.read { try inUse($0) } == ["q7"])
        try bench.write { writer in
            try writer.add(1, to: "q12") { task, _ in task.isHeld = true }
            var queue = try writer.requireQueue("q3")
            queue.run = Run(number: 1, since: at(0))
            try writer.put(queue)
        }
        #expect(try bench.read { try inUse($0) } == ["q12", "q3", "q7"])
        #expect(try bench.read { try inUse($0, .held) } == ["q12"])
        try bench.write { writer in
            try writer.remove(writer.tasks(.arrived(queue: "q7", after: nil), limit: 9).map(\.id))
        }
        #expect(try bench.read { try inUse($0) } == ["q12", "q3"])
    }

    @Test("K6 queues come by pages, the larger priority first", arguments: Engine.all)
    func pages(_ engine: Engine) throws {
        let bench = try bench(engine)
        try bench.write { writer in
            for (name, priority) in [("q7", 3), ("q12", -2), ("q3", 3)] as [(String, Int)] {
                var queue = try writer.requireQueue(name)
                queue.settings.priority = priority
                try writer.put(queue)
            }
            try writer.makeQueue("é\u{1F600}")
            try writer.makeQueue("\u{FFFD}")
        }
        let check: @Sendable (any StoreReader) throws -> Void = { reader in
            let all = try reader.queues().sorted { $0.isSeen(before: $1) }.map(\.name)
            #expect(all.prefix(2) == ["q3", "q7"] && all.last == "q12" && all.count == 22)
            #expect(try reader.countQueues() == all.count)
            for first in [0, 1, 5, 20, 22, 30] {
                let page = try reader.queues(behind: first, limit: 4)
                #expect(page.map(\.name) == Array(all.dropFirst(first).prefix(4)))
                for (place, queue) in page.enumerated() {
                    #expect(try reader.countQueues(before: queue) == first + place)
                }
            }
        }
        try bench.read(check)
        try bench.write { try check($0) }
    }

    @Test(
        "K6 what time alone changes of queues is told, and their tasks are added up",
        arguments: Engine.all)
    func moments(_ engine: Engine) throws {
        let bench = try bench(engine)
        let check: @Sendable (any StoreReader) throws -> Void = { reader in
            let names = try reader.queues(.withMoments).map(\.record.name)
            #expect(names == names.sorted() && Set(names).isSuperset(of: ["q11", "q4"]))
            let counts = try reader.counts()
            #expect(counts[.waiting] == 6 && counts.waiting(in: .held) == 2)
            #expect(counts[.failed] == 0 && counts[.running] == 0)
        }
        try bench.write { writer in
            var paused = try writer.requireQueue("q4")
            paused.pauses = [
                Pause(cause: .person, by: "a", reason: nil, since: at(1), until: at(9))
            ]
            try writer.put(paused)
            var batched = try writer.requireQueue("q11")
            batched.settings.start = .batched(count: 3, delayMilliseconds: 10)
            try writer.put(batched)
            try writer.add(3, to: "q1")
            try writer.add(1, to: "q2")
            try writer.add(2, to: "q2") { task, _ in task.isHeld = true }
            try check(writer)
        }
        try bench.read(check)
    }

    @Test("a change of a queue that was undone is not remembered", arguments: Engine.all)
    func undone(_ engine: Engine) throws {
        let bench = try bench(engine)
        func set(_ priority: Int, fails: Bool) throws {
            try bench.write { writer in
                var queue = try writer.requireQueue("q5")
                queue.settings.priority = priority
                try writer.put(queue)
                let seen = try writer.queues().first { $0.name == "q5" }
                #expect(seen?.settings.priority == priority)
                if fails { throw QueueError(.changed, "undone", fix: "") }
            }
        }
        func priorities() throws -> Set<Int> {
            let read = try bench.read { try $0.queues().map(\.settings.priority) }
            let written = try bench.write { try $0.queues().map(\.settings.priority) }
            #expect(read == written)
            return Set(read)
        }
        for round in 1..<4 {
            #expect(throws: QueueError.self) { try set(100 + round, fails: true) }
            try set(round, fails: false)
            #expect(try priorities() == [0, round])
        }
    }
}
