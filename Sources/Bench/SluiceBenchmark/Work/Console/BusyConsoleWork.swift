import SluiceModel
import SluiceSystem

/// C2: the same keys while four workers settle at full speed.
struct BusyConsoleWork: Work {
    static let rows = ["C2"]
    let bench: Workbench

    func measure(_ tell: (Figure) throws -> Void) throws {
        var half = Figure(
            id: "C2", title: "Down while four workers settle, p50", unit: "ms", goal: .within(3))
        var late = Figure(
            id: "C2", title: "Down while four workers settle, p95", unit: "ms", goal: .within(8))
        (half.base, late.base) = ("the curses loop", "the curses loop")
        let programs = try bench.programs()
        for _ in 0..<bench.repetitions {
            let path = try bench.filled(bench.amount(1_000_000) / 2, .oneQueue, types: 4)
            let workers = try Worker.start(4, ["__worker", path, "64"])
            let floor = try Screen(programs.raw, ["console", "1000000"])
            let base = try times(floor)
            let own = try times(Screen(programs.sluice, ["--store", path]))
            for worker in workers {
                try worker.signal(.kill)
                _ = try Poll.wait(
                    fds: [PollInterest(worker.pidfd.number)], timeoutMilliseconds: 5000)
                _ = try worker.reap()
            }
            half.samples.append(
                Figure.Sample(value: own.percentile(50), bare: base.percentile(50)))
            late.samples.append(
                Figure.Sample(value: own.percentile(95), bare: base.percentile(95)))
            try Files.remove(path)
        }
        try tell(half)
        try tell(late)
    }

    /// Discards earlier output of the console, so that a key's answer is the output after it.
    private func times(_ screen: Screen) throws -> [Double] {
        _ = try screen.wait(for: ConsoleSession.mark)
        return try (0..<bench.amount(100)).map { _ in
            let answer = try screen.press(Keys.down, quiet: 3)
            _ = try Poll.wait(fds: [], timeoutMilliseconds: 20)
            return answer.first
        }
    }
}
