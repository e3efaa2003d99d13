import SluiceModel
import SluiceSQL
import SluiceStore
import SluiceTestSupport
import Testing

@Suite("Many queues and many bodies", .enabled(if: PostgresServer.isInstalled))
struct CrowdTests {
    private static let names = (0..<90).map { "q\($0)" }

    /// Queues with different settings and tasks, in everything that affects a claim.
    private static func fill(_ store: any QueueStore) throws -> ProcessID {
        try store.transactBlocking(at: at(0)) { mutation in
            let store = mutation.store
            for (place, name) in names.enumerated() {
                var queue = QueueRecord(name: name, createdAt: at(0))
                queue.settings.priority = place % 3
                queue.settings.concurrency = 1 + place % 4
                queue.settings.order = place % 5 == 0 ? .lifo : .fifo
                if place % 11 == 0 { queue.settings.afterFailure = .block }
                if place % 13 == 0 {
                    queue.pauses = [
                        Pause(cause: .person, by: "a", reason: nil, since: at(0), until: nil)
                    ]
                }
                try store.put(queue)
            }
            for (place, name) in names.enumerated() where place % 7 != 0 {
                let requests = (0..<place % 6).map { number in
                    EnqueueRequest(
                        type: place % 17 == 0 ? "t\(number % 2)" : "t0",
                        payload: Array("\(name) \(number)".utf8))
                }
                if !requests.isEmpty { _ = try mutation.enqueue(requests, to: name) }
            }
            var process = ProcessRecord(
                id: 0, role: .runner, host: "h", bootID: "b", pid: 1, lockName: "l",
                attachedAt: at(0))
            process.slots = 64
            process.types = ["t0"]
            let id = try mutation.attach(process).id
            return id
        }
    }

    /// The payloads of successive claims with `slots` slots, until no task waits. All tasks end
    /// in between.
    private static func claims(_ store: any QueueStore, slots: Int) throws -> [[String]] {
        let runner = try fill(store)
        var all: [[String]] = []
        var claimed: [Claimed] = []
        repeat {
            let before = claimed
            claimed = try store.transactBlocking(at: at(1)) { mutation in
                _ = try mutation.settle(
                    before.compactMap { task in
                        task.task.running.map { lease in
                            Completion(
                                task: task.task.id, token: lease.token,
                                ending: .handler(.success(result: nil), restarts: false))
                        }
                    })
                let claimed = try mutation.claim(
                    ClaimRequest(runner: runner, freeSlots: slots, inFlight: 0))
                return claimed
            }
            all.append(claimed.map { String(decoding: $0.payload, as: UTF8.self) })
        } while !claimed.isEmpty
        return all
    }

    @Test(
        "Q5 P7 what is fetched ahead of a claim changes nothing of what it gives",
        arguments: [5, 64])
    func claims(slots: Int) throws {
        let place = try ServerPlace()
        let store = try place.open()
        defer { store.close() }
        let given = try Self.claims(store, slots: slots)
        let expected = try Self.claims(MemoryStore(), slots: slots)
        #expect(given == expected)
        #expect(given.joined().count > 100)
    }

    /// The results of one runner's commits, each settling the last claim and claiming again. In
    /// between, `other` cancels one of its tasks and adds an urgent one.
    private static func rounds(
        _ store: any QueueStore, beside other: any QueueStore
    ) throws -> [String] {
        let runner = try store.transactBlocking(at: at(0)) { mutation in
            let store = mutation.store
            var queue = QueueRecord(name: "q", createdAt: at(0))
            queue.settings.concurrency = 12
            try store.put(queue)
            let requests = (0..<60).map { EnqueueRequest(type: "t0", payload: [UInt8($0)]) }
            _ = try mutation.enqueue(requests, to: "q")
            var process = ProcessRecord(
                id: 0, role: .runner, host: "h", bootID: "b", pid: 1, lockName: "l",
                attachedAt: at(0))
            process.slots = 10
            let id = try mutation.attach(process).id
            return id
        }
        var told: [String] = []
        var claimed: [Claimed] = []
        for round in 0..<16 as Range<Int64> {
            let before = claimed
            let lines: [String]
            (claimed, lines) = try store.writeBlocking { store in
                try store.transact(at: at(round + 1)) { mutation in
                    let settled = try mutation.settle(
                        before.enumerated().compactMap { place, task in
                            task.task.running.map { lease in
                                Completion(
                                    task: task.task.id, token: lease.token,
                                    ending: .handler(
                                        round % 3 == 1 && place % 4 == 0
                                            ? .retry(afterMilliseconds: 0, error: "again")
                                            : .success(result: nil)))
                            }
                        })
                    // When few wait, the commit that adds it also claims it.
                    if round % 4 == 3 {
                        _ = try mutation.enqueue(
                            [EnqueueRequest(type: "t0", payload: [100])], to: "q")
                    }
                    let claimed = try mutation.claim(
                        ClaimRequest(runner: runner, freeSlots: 10, inFlight: 0))
                    let ends = settled.map { "\($0.id) \($0.state.map { "\($0)" } ?? "gone")" }
                    let taken = claimed.map { "\($0.task.id) \($0.payload)" }
                    return (claimed, ends + ["claimed \(taken)"])
                }
            }
            told += lines
            guard round % 2 == 0, let last = claimed.last?.task.id else { continue }
            try other.transactBlocking(at: at(round + 1)) { mutation in
                let store = mutation.store
                guard let task = try store.task(last) else { return }
                try mutation.apply(.requestStop(.cancelled, nil), to: task)
                var first = EnqueueRequest(type: "t0", payload: [200])
                first.priority = 5
                _ = try mutation.enqueue([first], to: "q")
            }
        }
        return told
    }

    @Test("A1 P7 tasks that are asked for ahead, or known again, are what others left of them")
    func rounds() throws {
        let place = try ServerPlace()
        let (own, other) = (try place.open(), try place.open())
        defer { own.close(); other.close() }
        let memory = MemoryStore()
        let expected = try Self.rounds(memory, beside: memory)
        #expect(try Self.rounds(own, beside: other) == expected)
        #expect(expected.contains { $0.hasSuffix("waiting") } && expected.count > 80)
    }

    @Test("P1 a body that the server refuses spoils none of those that share its commit")
    func refused() async throws {
        let place = try ServerPlace()
        let store = try place.open()
        defer { store.close() }
        try store.makeQueue("q")
        let outcomes = try await store.together(
            ([1, 2, 2, 3] as [TaskID]).map { number in
                {
                    do {
                        try await store.write { writer in
                            let task = QueueTask(
                                id: number, queue: "q", type: "t", position: number,
                                createdAt: at(0))
                            try writer.insert([NewTask(task: task, payload: [])])
                        }
                        return true
                    } catch {
                        return false
                    }
                }
            })
        #expect(outcomes.count { $0 } == 3)
        let there = try store.readBlocking { try $0.tasks([1, 2, 3]).map(\.id) }
        #expect(there == [1, 2, 3])
    }

    @Test("P7 queues that others change, make or remove are known, whatever version they have")
    func renewed() throws {
        let place = try ServerPlace()
        let (own, other) = (try place.open(), try place.open())
        defer { own.close(); other.close() }
        func seen() throws -> [String] {
            try own.readBlocking { store in
                try store.queues().map { "\($0.name) \($0.settings.concurrency)" }
            }
        }
        func set(_ name: String, _ concurrency: Int) throws {
            try other.writeBlocking { store in
                let known = try store.queue(named: name)
                var queue = known ?? QueueRecord(name: name, createdAt: at(0))
                queue.settings.concurrency = concurrency
                queue.version += 1
                try store.put(queue)
            }
        }
        for name in ["a", "b", "c"] { try set(name, 1) }
        #expect(try seen() == ["a 1", "b 1", "c 1"])
        try set("b", 5)
        #expect(try seen() == ["a 1", "b 5", "c 1"])
        try other.writeBlocking { try $0.removeQueue(named: "a") }
        #expect(try seen() == ["b 5", "c 1"])
        try set("d", 2)
        #expect(try seen() == ["b 5", "c 1", "d 2"])
        // As a program does that knows nothing of the numbers in the rows.
        let schema = place.schema
        try place.run("UPDATE \(schema).queue SET pauses = '[]', name = 'e' WHERE name = 'c'")
        try place.run("UPDATE \(schema).number SET value = value + 1 WHERE name = 'scenery'")
        #expect(try seen() == ["b 5", "d 2", "e 1"])
        try place.run("UPDATE \(schema).queue SET name = 'f' WHERE name = 'e'")
        try place.run("UPDATE \(schema).number SET value = value + 1 WHERE name = 'scenery'")
        try set("b", 6)
        #expect(try seen() == ["b 6", "d 2", "f 1"])
        try set("b", 7)
        #expect(try seen() == ["b 7", "d 2", "f 1"])
    }
}
