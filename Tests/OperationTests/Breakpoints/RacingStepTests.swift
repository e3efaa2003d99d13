import SluiceModel
import SluiceRunner
import SluiceStore
import SluiceSystem
import Testing

@testable import SluiceControl

/// Steps of a paused queue that many runners look at, with breakpoints set.
@Suite("steps while workers race")
struct RacingStepTests {
    private static let isLong = ProcessIdentity.environment("SLUICE_SOAK") != nil
    /// The steps on each engine: 10,000 in all with `SLUICE_SOAK=1`.
    private static let counts: [Case<Int>] = [
        Case(engine: .memory, value: isLong ? 8000 : 150),
        Case(engine: .sqlite, value: isLong ? 2000 : 50),
    ]

    @Test(
        "G1 D3 a step executes exactly one task while eight workers race at breakpoints",
        arguments: counts)
    func race(_ test: Case<Int>) throws {
        let bench = try Bench(test.engine)
        try bench.makeQueue {
            $0.concurrency = 8
            $0.attemptLimit = nil
            $0.retry = .fixed(milliseconds: 0)
        }
        try bench.perform(.pause(PauseRequest(.queue("q"))))
        let moments: [Breakpoint.Moment] = [.before, .after, .onFailure]
        for (type, moment) in zip(["x", "y", "z"], moments) {
            try bench.perform(stop("type:\(type)") { $0.moment = moment })
        }
        let calls = CallLog()
        let runners = try (0..<8).map { _ in try runner(bench, calls) }
        let issuer = try Attachment(to: bench.store, role: .command, now: bench.now)
        var random = SeededRandom(seed: test.value)
        for number in 1...test.value {
            if number % 5 == 1 {
                try bench.enqueue((0..<5).map { _ in request(random.pick(["a", "x", "y", "z"])) })
            }
            let answer = try bench.control().stepBlocking(
                .queue("q", count: 1), issuer: issuer)
            let ran = calls.all
            let isOne = answer.stepped.count == 1 && ran.count == number
            #expect(isOne && ran.last == answer.stepped.first?.id, "step \(number)")
            guard isOne else { break }
        }
        for runner in runners { runner.stop(isUrgent: false) }
        for runner in runners { runner.wait() }
        try issuer.detach(now: bench.now)
        #expect(calls.all.count == test.value)
        let stops = try bench.read { try $0.storeRecord().breakpoints.all.map(\.hits) }
        // A step asks none before a task, and the others always.
        #expect(stops[0] == 0 && stops[1] > 0 && stops[2] > 0)
    }

    /// A runner with immediate handlers. The first attempt of each `z` fails.
    private func runner(_ bench: Bench, _ calls: CallLog) throws -> Runner {
        let handler = InstantHandler { execution in
            calls.add(execution.task.id)
            return execution.task.type == "z" && execution.number == 1 ? .fail : .done
        }
        let runner = try Runner(
            store: bench.store, types: nil, handlers: { _ in handler }, options: RunnerOptions(),
            now: { bench.now })
        try runner.start()
        return runner
    }
}
