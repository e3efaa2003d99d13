import SluiceControl
import SluiceModel
import SluiceStore
import SluiceTerminalUI
import Testing

@testable import SluiceConsole

@Suite("Differences")
struct DifferenceTests {
    private func text(_ before: [String], _ after: [String], limit: Int = 99) -> [String] {
        LineDifference(before, after).lines(limit: limit, glyphs: .ascii).map(\.text)
    }

    @Test("a difference shows what changed with one line around it")
    func lines() {
        let before = ["a", "b", "c", "d", "e", "f", "g", "h"]
        let after = ["a", "b", "C", "d", "e", "f", "g", "h", "i"]
        #expect(text(before, after) == ["  b", "- c", "+ C", "  d", "  ~", "  h", "+ i"])
        #expect(text(before, before) == [])
        #expect(text([], ["x"]) == ["+ x"])
        #expect(text(["x"], []) == ["- x"])
        #expect(text(["x", "x"], ["x"]) == ["  x", "- x"])
        #expect(text([], before, limit: 2) == ["+ a", "+ b", "6 more lines"])
    }

    @Test("K6 texts of any length are compared at once, and the cut is said")
    func long() {
        let before = (0..<100_000).map { "old \($0)" }
        let after = (0..<100_000).map { "new \($0)" }
        #expect(text(before, after, limit: 3).last?.contains("more lines") == true)
        let near = before[..<50_000] + ["new"] + before[50_000...]
        #expect(text(before, Array(near)) == ["  old 49999", "+ new", "  old 50000"])
    }

    @Test("any two executions can be compared, the later one beside an earlier one")
    func pairs() {
        let task = LivingScene.task(1, "q", "t", 0)
        let attempts = [2, 3, 5, 9].map {
            AttemptRecord(task: task, number: $0, runner: 1, startedAt: LivingScene.now)
        }
        func numbers(_ pair: AttemptPair) -> [Int] {
            pair.chosen(of: attempts).map {
                [attempts[$0.earlier].number, attempts[$0.later].number]
            } ?? []
        }
        var pair = AttemptPair()
        #expect(numbers(pair) == [5, 9])
        pair = pair.moved(later: 1, of: attempts)
        #expect(numbers(pair) == [5, 9])
        pair = pair.moved(earlier: -1, of: attempts)
        #expect(numbers(pair) == [3, 9])
        pair = pair.moved(earlier: -9, of: attempts)
        #expect(numbers(pair) == [2, 9])
        pair = pair.moved(earlier: 9, of: attempts)
        #expect(numbers(pair) == [5, 9])
        pair = pair.moved(later: -1, of: attempts)
        #expect(numbers(pair) == [3, 5])
        pair = pair.moved(later: -9, of: attempts)
        #expect(numbers(pair) == [2, 3])
        #expect(AttemptPair().chosen(of: Array(attempts.prefix(1))) == nil)
        // An attempt no longer in the log is ignored.
        #expect(numbers(AttemptPair(later: 4, earlier: 1)) == [5, 9])
    }

    @Test("A2 an execution whose worker died is not said to run beside an earlier one")
    func lost() {
        let task = LivingScene.task(1, "q", "t", 0)
        var earlier = AttemptRecord(
            task: task, number: 1, runner: 1, startedAt: LivingScene.now)
        (earlier.endedAt, earlier.outcome) = (LivingScene.now + 5, .retry)
        let later = AttemptRecord(task: task, number: 2, runner: 1, startedAt: LivingScene.now)
        func outcome(isLost: Bool) -> String? {
            AttemptDifference(
                earlier: earlier, later: later, payloads: ([], []), editors: [], isLost: isLost,
                names: TaskNames(),
                clock: ScreenClock(
                    now: LivingScene.now, format: .utc, ticks: true),
                glyphs: .unicode, width: 100
            ).lines.map(\.text).first { $0.hasPrefix("outcome") }
        }
        #expect(outcome(isLost: true)?.hasSuffix("its worker died") == true)
        #expect(outcome(isLost: false)?.hasSuffix(" runs") == true)
    }

    @Test("A2 of an execution that was lost is told when that was noticed, and no duration")
    func noticed() throws {
        let store = try ComparedScene.store()
        try store.writeBlocking { store in
            let began = LivingScene.now + -60_000
            var record = AttemptRecord(
                task: try store.requireTask(7), number: 4, runner: 3, startedAt: began)
            (record.endedAt, record.outcome) = (began + 26_000, .lost)
            record.isCounted = false
            try store.put([record])
        }
        let bench = Bench(store: store, size: Size(width: 160, height: 90), now: LivingScene.now)
        bench.press("Enter")
        let words = "was lost, noticed after 26s"
        #expect(bench.screen.contains("\(words)  worker 3  not counted"), "\(bench.screen)")
        func row(_ label: String) -> String {
            bench.lines.map { $0.split(separator: " ").joined(separator: " ") }
                .first { $0.contains("│ \(label) ") } ?? ""
        }
        #expect(row("outcome").hasSuffix("failed \(words), not counted"), "\(bench.screen)")
        #expect(row("took").hasSuffix("took 388 ms none"), "\(bench.screen)")
    }

    @Test("a key that compares says why it cannot")
    func reasons() throws {
        let bench = Bench(store: try LivingScene.store(), now: LivingScene.now)
        bench.press("<")
        #expect(bench.message.contains("Enter opens the task first"))
        bench.press("j Enter )")
        #expect(bench.message.contains("#1041 has not been attempted yet"))
    }
}
