import SluiceHandlers
import SluiceModel
import SluiceRunner
import Testing

@Suite("Simulated executions", .timeLimit(.minutes(10)))
struct SimulateTests {
    static func outcomes(
        _ handler: SimulateHandler, numbers: ClosedRange<Int>
    ) -> [HandlerOutcome] {
        numbers.flatMap { number in
            let report = CollectingReport()
            _ = handler.start(.sample(number: number), report: report)
            return report.seen.outcomes
        }
    }

    @Test("G4 without anything it succeeds at once")
    func plain() {
        #expect(Self.outcomes(SimulateHandler(), numbers: 1...1) == [.success(result: nil)])
    }

    @Test("G4 it fails the first n executions, then gives its outcome")
    func failures() {
        let handler = SimulateHandler(
            failures: 2, error: "boom", outcome: .park(error: "boom"), retryAfterMilliseconds: 50)
        let failed = HandlerOutcome.retry(afterMilliseconds: 50, error: "boom")
        #expect(
            Self.outcomes(handler, numbers: 1...3) == [failed, failed, .park(error: "boom")])
    }

    @Test("G4 progress is elapsed by duration, at most ten times")
    func progress() async {
        for (duration, steps) in [(30, 1), (250, 2), (1100, 10)] as [(Int64, Int)] {
            let report = CollectingReport()
            _ = SimulateHandler(durationMilliseconds: duration).start(.sample(), report: report)
            #expect(await report.outcome == .success(result: nil))
            let expected = (1...steps).map { Double($0) / Double(steps) }
            #expect(report.seen.progress.map(\.fraction) == expected)
        }
    }

    @Test("G4 executions end in the order of their times, not of their starts")
    func order() async {
        let long = CollectingReport()
        let short = CollectingReport()
        let running = SimulateHandler(durationMilliseconds: .max).start(.sample(), report: long)
        _ = SimulateHandler(durationMilliseconds: 10).start(.sample(), report: short)
        #expect(await short.outcome == .success(result: nil))
        #expect(long.seen.outcomes.isEmpty)
        running.stop()
        #expect(long.seen.outcomes == [.failed("stopped")])
    }

    @Test("A6 stop ends it at once, and only once")
    func stop() async {
        let report = CollectingReport()
        let handler = SimulateHandler(durationMilliseconds: 3_600_000)
        let running = handler.start(.sample(), report: report)
        running.stop()
        running.kill()
        #expect(report.seen.outcomes == [.failed("stopped")])
    }

    @Test("G4 a thousand at once")
    func many() async {
        let reports = (0..<1000).map { _ in CollectingReport() }
        let handler = SimulateHandler(durationMilliseconds: 200)
        let running = reports.map { handler.start(.sample(), report: $0) }
        for report in reports { #expect(await report.outcome == .success(result: nil)) }
        running.forEach { $0.stop() }
        #expect(reports.allSatisfy { $0.seen.outcomes.count == 1 })
    }
}
