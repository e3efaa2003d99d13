import SluiceControl
import SluiceModel
import SluiceStore
import SluiceTerminalUI
import Testing

@testable import SluiceConsole

@Suite("The log of a task that runs, and how long others took")
struct TailTests {
    private func bench(_ size: Size, lines: Int) throws -> Bench {
        let bench = Bench(store: try LivingScene.store(), size: size, now: LivingScene.now)
        try log(lines, bench)
        bench.press("h j l")
        return bench
    }

    private func log(_ lines: Int, _ bench: Bench) throws {
        try bench.change { writer in
            var attempt = AttemptRecord(
                task: try writer.requireTask(930), number: 1, runner: 1,
                startedAt: LivingScene.ago(3))
            attempt.log = (1...lines).map { "line \($0) of it" }
            try writer.put([attempt])
        }
    }

    @Test("A7 the page of a task that runs shows the end of its log, until somebody scrolls")
    func page() throws {
        let bench = try bench(Size(width: 100, height: 24), lines: 40)
        bench.press("Enter")
        #expect(bench.screen.contains("line 40 of it"), "\(bench.screen)")
        try log(50, bench)
        #expect(bench.screen.contains("line 50 of it"), "\(bench.screen)")
        bench.press("k")
        try log(60, bench)
        #expect(!bench.screen.contains("line 60 of it") && bench.screen.contains("line 49 of it"))
        bench.press("G")
        try log(70, bench)
        #expect(bench.screen.contains("line 70 of it"), "\(bench.screen)")
        bench.press("g")
        #expect(bench.screen.contains("payload") && !bench.screen.contains("line 70 of it"))
    }

    @Test("A7 the preview of a task that runs shows the end of its log")
    func preview() throws {
        let bench = try bench(Size(width: 160, height: 48), lines: 80)
        #expect(bench.screen.contains("line 80 of it"), "\(bench.screen)")
        #expect(bench.screen.contains("payload"), "\(bench.screen)")
    }

    @Test("K21 a task that has ended says how long its last attempt took, where one has")
    func took() throws {
        let bench = Bench(
            store: try LivingScene.store(), size: Size(width: 140, height: 36),
            now: LivingScene.now)
        #expect(!bench.screen.contains("took"))
        try bench.change { writer in
            var attempt = AttemptRecord(
                task: try writer.requireTask(1039), number: 10, runner: 1,
                startedAt: LivingScene.ago(3001))
            attempt.endedAt = LivingScene.ago(3001) + 402
            attempt.outcome = .retry
            try writer.put([attempt])
        }
        #expect(bench.screen.contains("took"), "\(bench.screen)")
        let row = try #require(
            bench.lines.first { $0.contains("! 1039") || $0.contains("!  1039") })
        #expect(row.contains("402 ms"), "\(bench.screen)")
        try bench.change { writer in
            var attempt = try #require(try writer.attempts(of: 1039).last)
            attempt.endedAt = attempt.startedAt + 2940
            try writer.put([attempt])
        }
        #expect(bench.lines.contains { $0.contains("1039") && $0.contains(" 2.9s") })
    }
}
