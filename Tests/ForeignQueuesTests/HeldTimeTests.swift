import SluiceModel
import SluiceTestSupport
import Testing

@testable import SluiceForeignQueues

@Suite("tasks with a later time in a held queue")
struct HeldTimeTests {
    private static let later = Timestamp(milliseconds: 2_000_000_000_000)
    /// The systems that wait for a time by a column, which a hold moves.
    private static let timedTables = PlayedTable.all.filter {
        !["oban", "solidqueue"].contains($0.name)
    }

    @Test(
        "D3 are delayed, not due, and due after a retry",
        .enabled(if: PostgresServer.isInstalled), arguments: timedTables)
    func tables(played: PlayedTable) throws {
        let bench = try TableBench(played, tasks: 3)
        let id = try bench.waiting()[1].reference
        _ = try bench.system.change(id, .postpone(Self.later), by: "dana")
        _ = try bench.system.hold(TableBench.queue, RQBench.note)
        try Self.check(bench.system, TableBench.queue, id, counted: try bench.queue())
    }

    @Test(
        "D3 are delayed in rows of every database, and due after a retry",
        arguments: PlayedRows.timed)
    func rows(played: PlayedRows) throws {
        let bench = try RowBench(played)
        try bench.clear()
        for number in 1...3 { try bench.insert(number) }
        let all = try bench.system.page(ForeignQuery(queue: RowBench.queue, state: .waiting)).tasks
        let id = all[1].reference
        _ = try bench.system.change(id, .postpone(Self.later), by: "dana")
        _ = try bench.system.hold(RowBench.queue, RQBench.note)
        let queue = try bench.system.queues().first { $0.name == RowBench.queue }
        try Self.check(bench.system, RowBench.queue, id, counted: queue)
    }

    private static func check(
        _ system: any ForeignSystem, _ queue: String, _ id: String, counted: ForeignQueue?
    ) throws {
        let counted = try #require(counted)
        #expect(counted.held == 2 && counted.delayed == 1 && counted.waiting == 2)
        try system.expectCounts(counted, "held")
        let task = try #require(try system.detail(id)?.task)
        #expect(task.display == .delayed && task.notBefore == later)
        #expect(try system.timers(limit: 9).map(\.task.reference) == [id])
        let why = try system.why(id)
        #expect(why.first == "it waits until \(TimeText.rfc3339(later))" && why.count >= 2)
        let refused = #expect(throws: QueueError.self) {
            try system.step(queue, task: id, limits: StepLimits(takeMilliseconds: 0))
        }
        #expect(refused?.message.contains("waits for its time") == true)
        // A skip and its end keep the time, and the hold.
        if system.rules.refusal(of: .skip, on: .delayed) == nil {
            _ = try system.change(id, .skip, by: "dana")
            _ = try system.undo(by: "dana")
            #expect(try system.detail(id)?.task.display == .delayed)
            #expect(try system.detail(id)?.task.notBefore == later)
        }
        if system.rules.refusal(of: .retry, on: .delayed) == nil {
            _ = try system.change(id, .retry, by: "dana")
            // Symfony's column has whole seconds, and rounds this one.
            try until("it is due") { try system.detail(id)?.task.display == .held }
            _ = try system.undo(by: "dana")
            #expect(try system.detail(id)?.task.display == .delayed)
            #expect(try system.detail(id)?.task.notBefore == later)
        }
        _ = try system.release(queue)
        let after = try #require(try system.detail(id)?.task)
        #expect(after.display == .delayed && after.notBefore == later)
    }
}
