import SluiceModel
import SluiceStore
import SluiceTestSupport
import Testing

@testable import SluiceSQL

@Suite("Who stands last in many queues", .enabled(if: PostgresServer.isInstalled))
struct ArrivalTests {
    private struct Undone: Error {}

    /// Runs one body per queue in a shared commit. The bodies of `q9` roll back after adding
    /// something.
    private static func add(
        to queues: [String], _ store: PostgresStore
    ) async throws -> [TaskID] {
        let ids = try await store.together(
            queues.map { queue in
                {
                    try? await store.transact(at: at(0)) { mutation in
                        let ids = try mutation.enqueue([EnqueueRequest(type: "t")], to: queue).ids
                        if queue == "q9" { throw Undone() }
                        return ids[0]
                    }
                }
            })
        return ids.compactMap(\.self)
    }

    private static func positions(_ queue: String, _ store: PostgresStore) throws -> [Int64] {
        try store.readBlocking { store in
            let query = TaskQuery(queue: queue, state: .waiting, limit: 1000)
            return try store.tasks(matching: query).map { $0.position / positionGap }
        }.sorted()
    }

    @Test("Q1 P7 whose last positions come with a commit: bodies stand one behind the other")
    func arrivals() async throws {
        let place = try ServerPlace()
        let (own, other) = (try place.open(), try place.open())
        defer { own.close(); other.close() }
        let queues = ["q0", "q1", "q9", "q2", "q0", "q9", "q1", "q3", "q0", "q9"]
        for queue in Set(queues).sorted() { try own.makeQueue(queue) }
        for round in 1...4 {
            let added = try await Self.add(to: queues, own)
            #expect(Set(added).count == 7)
            // Another process's tasks arrive in between and follow these.
            let theirs = try await Self.add(to: ["q0", "q3"], other)
            #expect(theirs.count == 2)
            #expect(try Self.positions("q0", own) == Array(1...Int64(4 * round)))
            #expect(try Self.positions("q1", own) == Array(1...Int64(2 * round)))
            #expect(try Self.positions("q3", own) == Array(1...Int64(2 * round)))
            #expect(try Self.positions("q9", own) == [])
        }
    }

    @Test("Q1 P1 P7 who comes while a commit waits for its turn shares it, and stands behind it")
    func late() throws {
        let place = try ServerPlace()
        let own = try place.open()
        defer { own.close() }
        for queue in ["q0", "q1", "q2"] { try own.makeQueue(queue) }
        let connection = try place.connect()
        let batch = WriteBatch(
            connection,
            lock: ServerWriteLock(
                connection, backoff: ReconnectBackoff(), clock: StoreClock()),
            settingsCache: SettingsCache())
        // However busy the machine is.
        batch.nanosecondLimit = 3_600_000_000_000
        func job(_ queue: String) -> any WriteJob {
            BodyJob(
                { store in
                    try store.transact(at: at(0)) { mutation in
                        _ = try mutation.enqueue([EnqueueRequest(type: "t")], to: queue)
                    }
                }
            ) { result in
                if case .failure(let error) = result { Issue.record(error) }
            }
        }
        for round in 1...3 as ClosedRange<Int64> {
            var (jobs, coming) = ([job("q0")], [["q1", "q0"], ["q2", "q0", "q1"], []][...])
            let done = batch.commit(&jobs) { _ in (coming.popFirst() ?? []).map(job) }
            #expect(done == 6 && jobs.count == 6)
            #expect(try Self.positions("q0", own) == Array(1...3 * round))
            #expect(try Self.positions("q1", own) == Array(1...2 * round))
            #expect(try Self.positions("q2", own) == Array(1...round))
        }
    }

    @Test("Q1 P7 a queue that was removed and made again, or has another's name, begins anew")
    func renamed() async throws {
        let place = try ServerPlace()
        let (own, other) = (try place.open(), try place.open())
        defer { own.close(); other.close() }
        for queue in ["q0", "q1"] { try own.makeQueue(queue) }
        _ = try await Self.add(to: ["q0", "q0", "q0", "q1"], own)
        try other.writeBlocking { store in
            let query = TaskQuery(queue: "q0", state: .waiting, limit: 9)
            try store.remove(try store.tasks(matching: query).map(\.id))
            try store.removeQueue(named: "q0")
        }
        try other.makeQueue("q0")
        _ = try await Self.add(to: ["q0", "q1", "q0", "q2"], own)
        #expect(try Self.positions("q0", own) == [1, 2])
        #expect(try Self.positions("q1", own) == [1, 2])
        _ = try own.transactBlocking(at: at(0)) { mutation in
            let ids = try mutation.enqueue([EnqueueRequest(type: "t")], to: "q0").ids
            return ids
        }
        #expect(try Self.positions("q0", own) == [1, 2, 3])
    }
}
