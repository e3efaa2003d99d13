import SluiceControl
import SluiceModel
import SluiceStore
import SluiceTerminalUI
import Testing

@testable import SluiceConsole

/// K20: the last hour by minute, in view 7 and in the preview.
@Suite("Last hour")
struct LastHourTests {
    /// The scene of the drawings with an hour of `messages` in it: two waves, failures in the
    /// second, three that were stopped.
    private static func store() throws -> MemoryStore {
        let store = try LivingScene.store()
        var attempts: [AttemptRecord] = []
        func end(_ minute: Int, _ outcome: AttemptRecord.Outcome, isCounted: Bool) {
            var attempt = AttemptRecord(
                task: LivingScene.task(9000, "messages", "push", 0), number: attempts.count + 1,
                runner: 1, startedAt: LivingScene.now + -60_000 * Int64(minute) + -900)
            (attempt.outcome, attempt.isCounted) = (outcome, isCounted)
            attempt.endedAt = LivingScene.now + -60_000 * Int64(minute)
            attempts.append(attempt)
        }
        for minute in 0..<70 {
            let wave = [0, 2, 5, 9, 14, 18, 20, 18, 13, 8, 4, 2][minute % 30 / 3 % 12]
            for _ in 0..<wave { end(minute, .success, isCounted: false) }
            if (5..<12).contains(minute) {
                for _ in 0..<minute { end(minute, .retry, isCounted: true) }
            }
        }
        for _ in 0..<3 { end(40, .cancelled, isCounted: false) }
        try store.writeBlocking { [attempts] in try $0.put(attempts) }
        return store
    }

    private static func bench(
        _ width: Int, _ height: Int, _ keys: String, glyphs: GlyphSet = .unicode
    ) throws -> Bench {
        let bench = Bench(
            store: try store(), size: Size(width: width, height: height), now: LivingScene.now,
            glyphs: glyphs)
        bench.press(keys)
        return bench
    }

    @Test(
        "K20 the hour of a queue at three sizes, in signs of ASCII, and in the preview",
        arguments: [
            ("hour-80x24", 80, 24, "7 j", GlyphSet.unicode),
            ("hour-120x36", 120, 36, "7 j", .unicode),
            ("hour-160x48", 160, 48, "7 j", .unicode),
            ("hour-ascii-120x36", 120, 36, "7 j", .ascii),
            ("hour-preview-160x48", 160, 48, "h j l", .unicode),
        ])
    func pictures(
        _ name: String, _ width: Int, _ height: Int, _ keys: String, _ glyphs: GlyphSet
    ) throws {
        try Pictures.check(name, try Self.bench(width, height, keys, glyphs: glyphs).buffer)
    }

    @Test("K20 each outcome has its line, its colour and its number; what is older is left out")
    func lines() throws {
        let bench = try Self.bench(120, 36, "7 j")
        let area = bench.state.layout.hour
        let lines = bench.lines[area.y..<area.maxY]
        #expect(
            lines.first?.contains("last hour of messages  12 wait now · ok 642 ·") == true)
        #expect(lines.first?.contains("failed 56 · other 3 · at most 20 in a minute") == true)
        func marks(_ role: Role) -> Int {
            (area.y + 1..<area.maxY).flatMap { Array(bench.buffer[row: $0]) }
                .count { $0.role == role && $0.text != " " }
        }
        #expect(marks(.running) > 30 && marks(.failedBar) >= 7)
        #expect(marks(.time) > 1)
        #expect(lines.contains { $0.contains("1h ago") && $0.contains("now") })
    }

    @Test("K20 the most in a minute is of all outcomes together")
    func most() throws {
        let bench = try Self.bench(120, 36, "7 G")
        try bench.change { writer in
            try writer.put(
                (1...5).map { number in
                    var attempt = AttemptRecord(
                        task: LivingScene.task(9001, "startup", "push", 0), number: number,
                        runner: 1, startedAt: LivingScene.now + -120_900)
                    attempt.outcome = number > 3 ? .retry : .success
                    attempt.isCounted = number > 3
                    attempt.endedAt = LivingScene.now + -120_000
                    return attempt
                })
        }
        #expect(
            bench.screen.contains("ok 3 · failed 2 · at most 5 in a minute"), "\(bench.screen)")
    }

    @Test("K20 the picture moves on with the minutes, and an hour later nothing is left of it")
    func moves() throws {
        let bench = try Self.bench(120, 36, "7 j")
        let before = bench.state.scene?.lastHour?.ended(.failed, before: bench.now) ?? []
        let after =
            bench.state.scene?.lastHour?.ended(.failed, before: bench.now + 120_000) ?? []
        #expect(Array(before.dropFirst(2)) == Array(after.dropLast(2)))
        #expect(after.suffix(2) == [0, 0])
        bench.wait(milliseconds: 3_700_000)
        #expect(bench.screen.contains("last hour of messages  12 wait now · nothing ended"))
    }

    @Test("K20 a wide screen shows the hour of a queue in which nothing failed")
    func withoutFailure() throws {
        let bench = try Self.bench(220, 60, "7 j j j j 5")
        #expect(bench.screen.contains("No task has failed"), "\(bench.screen)")
        #expect(bench.screen.contains("last hour of startup  nothing ended"), "\(bench.screen)")
    }

    @Test("K2 K20 the list of queues keeps its height where nothing ended in the chosen one")
    func steady() throws {
        let bench = try Self.bench(120, 36, "7 j")
        let rows = bench.state.layout.rows
        bench.press("j j j")
        #expect(bench.screen.contains("last hour of startup  nothing ended"))
        #expect(bench.state.layout.rows == rows)
    }
}
