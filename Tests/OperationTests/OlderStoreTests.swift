import SluiceModel
import SluiceStore
import Testing

@testable import SluiceControl

@Suite("Stores that programs of older versions wrote")
struct OlderStoreTests {
    /// The older program's description of its tasks.
    private static let tasks = [
        "1 mail send succeeded 1", "2 mail render waiting 1", "3 mail lost failed 1",
        "4 mail later waiting 0", "5 mail later waiting 0", "6 mail later deleted 0",
        "7 held send waiting 0", "8 held send waiting 0", "9 night send waiting 0",
        "10 night send waiting 0",
    ]

    @Test("P4 each is opened, listed, worked on and found whole", arguments: OlderStore.all)
    func opened(older: OlderStore) throws {
        let bench = try Bench(older.engine)
        #expect(try bench.control().examine(repairs: false).problems == [])
        let tasks = try (1...10).map { try bench.task($0) }
        let lines = tasks.map {
            "\($0.id) \($0.queue) \($0.type) \($0.state.name.rawValue) \($0.attempts)"
        }
        #expect(lines == Self.tasks)
        #expect(tasks[0].label == "first" && tasks[3].uniqueKey == "k" && tasks[3].priority == 5)
        #expect(tasks[4].waiting?.skip?.by == "ann" && tasks[9].groupMembers == ["g"])
        #expect(try bench.read { try $0.payloads(of: [8]) } == [8: Array(#"{"to":"uma"}"#.utf8)])
        #expect(try bench.record("mail").settings.concurrency == 2)
        #expect(try bench.record("night").settings.preset == "customer-io")
        #expect(try bench.record("held").pauses.map(\.reason) == ["looking"])
        #expect(try bench.blockers(10).contains(.groupStart))
        let attempts = try (1...3).map { id in try bench.read { try $0.attempts(of: id) } }
        #expect(attempts.map { $0.map(\.outcome) } == [[.success], [.retry], [.retry]])
        let counts = try bench.read { try $0.failureCounts(queue: "mail") }
        #expect(counts.map(\.count) == [1] && counts.map(\.type) == ["lost"])
        try workedOn(bench)
    }

    @Test("P4 a store of every version before this one is kept")
    func isKept() throws {
        #expect(OlderStore.all.contains { $0.kind == "sqlite" })
        for engine in Engine.all {
            guard let last = OlderStore.all.last(where: { $0.kind == engine.name }) else {
                continue
            }
            #expect(try Bench(engine).store.schemaVersion == last.version + 1)
        }
    }

    /// Undoes a person's verb of the older program, and completes a task.
    private func workedOn(_ bench: Bench) throws {
        #expect(try bench.display(4) == .delayed)
        try bench.perform(.undo(event: nil))
        #expect(try bench.display(4) != .delayed)
        try bench.perform(.undo(event: nil))
        #expect(try bench.states([6]) == [.waiting])
        try bench.perform(.resume(.queue("held")))
        let runner = try bench.attach(queues: ["held"])
        let claimed = try bench.claimOne(runner)
        #expect(claimed.task.id == 7 && claimed.payload == Array(#"{"to":"pat"}"#.utf8))
        try bench.settle(claimed)
        try bench.enqueue(1, to: "mail")
        // The settings at the queue's creation decide its retention.
        #expect(try bench.states([7])[0] ?? .succeeded == .succeeded)
        #expect(try bench.states([11]) == [.waiting])
        #expect(try bench.drain(runner) == [8])
        try bench.act { try $0.detach(runner) }
        #expect(try bench.control().examine(repairs: false).problems == [])
    }
}
