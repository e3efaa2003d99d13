import Sluice
import SluiceSystem
import Testing

/// Recurring tasks of an app.
@Suite("library: schedules")
struct ScheduleTests {
    struct Report: TaskPayload {
        static let taskType = "report"
        var year: Int
    }

    @Test("R2 R4 an app says its schedules at each start, and its worker runs what they make")
    func app() async throws {
        let app = QueueClient(store: MemoryStore(), defaultQueue: "reports")
        let (made, feed) = AsyncStream<ScheduledMoment?>.makeStream()
        try app.handle(Report.self) { report, task in
            #expect(report.year == 2027)
            feed.yield(task.execution.task.scheduled)
        }
        let nightly = Recurrence.cron("0 3 * * *", timeZone: "Europe/Berlin")
        for _ in 0..<2 {
            let set = try await app.schedule("nightly", nightly, Report(year: 2027))
            #expect(set.queue == "reports" && set.type == "report" && set.next != nil)
            try await app.schedule("tick", .every(.seconds(1)), Report(year: 2027))
        }
        #expect(try await app.schedules().map(\.name) == ["nightly", "tick"])
        let lines = try await app.store.read { try $0.journal(JournalQuery(limit: 100)).count }
        #expect(lines == 2)
        let worker = try app.start(network: nil)
        var moments: [Timestamp] = []
        for await moment in made {
            #expect(moment?.schedule == "tick")
            moments.append(try #require(moment?.at))
            if moments.count == 2 { break }
        }
        #expect(moments[1] > moments[0] && moments.allSatisfy { $0.milliseconds % 1000 == 0 })
        try await app.unschedule("tick")
        #expect(try await app.schedules().map(\.name) == ["nightly"])
        try await worker.stop()
    }

    @Test("R1 R4 what can never be is refused with the reason")
    func refusals() async throws {
        let app = QueueClient(store: MemoryStore())
        for recurrence in [
            Recurrence.cron("0 0 31 2 *"), .cron("@sometimes"), .every(.zero),
            .every(.milliseconds(999)), .every(.seconds(-5)),
            .cron("@daily", timeZone: "Mars/Olympus"),
        ] {
            let error = await #expect(throws: QueueError.self) {
                try await app.schedule("x", recurrence, Report(year: 1))
            }
            #expect(error?.code == .badValue)
        }
        #expect(try await app.schedules().isEmpty)
    }
}
