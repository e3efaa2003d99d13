import SluiceControl
import SluiceModel
import SluiceStore
import SluiceTerminalUI
import Testing

@testable import SluiceConsole

@Suite("View 7: curves and charts")
struct PulseViewTests {
    private static let now = LivingScene.now

    private func bench(
        _ width: Int = 160, _ height: Int = 48, glyphs: GlyphSet = .unicode
    ) throws -> Bench {
        let store = try LivingScene.store()
        try store.writeBlocking { writer in
            let gone = LivingScene.task(5000, "messages", "push", 9000)
            try writer.put(
                (0..<300).map { place in
                    var attempt = AttemptRecord(
                        task: gone, number: place + 1, runner: 1,
                        startedAt: LivingScene.ago(Int64(place) * 10) + -Int64(50 + place * 3))
                    attempt.endedAt = LivingScene.ago(Int64(place) * 10)
                    let isGood = place % 4 > 0 || place > 100
                    (attempt.outcome, attempt.isCounted) = (isGood ? .success : .retry, !isGood)
                    return attempt
                })
            for place in 0..<300 {
                try writer.countWait(
                    DurationBucket(milliseconds: Int64(20 + place * 7)), in: "messages",
                    at: LivingScene.ago(Int64(place) * 10))
            }
        }
        let bench = Bench(
            store: store, size: Size(width: width, height: height), now: Self.now, glyphs: glyphs)
        bench.press("7 j")
        #expect(bench.state.selectedQueue == "messages")
        return bench
    }

    @Test("four charts where they have room, two at 80 columns, none at 40x10")
    func charts() throws {
        let wide = try bench()
        let titles = ["ended in a minute", "wait from due to start", "took", "waiting"]
        for title in titles + ["first due task waits"] {
            #expect(wide.screen.contains(title), "\(wide.screen)")
        }
        #expect(wide.screen.contains("~p95") && wide.screen.contains("1h ago"))
        #expect(wide.screen.contains("seen since"))
        let small = try bench(80, 24)
        #expect(small.screen.contains("ended in a minute"))
        #expect(small.screen.contains("wait from due to start"), "\(small.screen)")
        #expect(!small.screen.contains("first due task waits"))
        let least = try bench(40, 10)
        #expect(!least.screen.contains("ended in"), "\(least.screen)")
    }

    @Test("each row has curves where the width permits, and ASCII has signs of its own")
    func curves() throws {
        let bench = try bench(220, 60)
        let head = try #require(bench.lines.first { $0.contains("failed share") })
        #expect(head.contains(" ended ") && head.contains("took p95"))
        #expect(head.contains("wait p95"))
        let row = try #require(bench.lines.first { $0.contains(" messages ") })
        #expect(row.contains("▇") || row.contains("█"), "\(row)")
        let plain = try self.bench(220, 60, glyphs: .ascii)
        #expect(plain.lines.allSatisfy { $0.utf8.allSatisfy { $0 < 128 } }, "\(plain.screen)")
        #expect(plain.screen.contains("xxxx") && plain.screen.contains("####"))
    }

    @Test("each row has curves at 80 and 120 columns too", arguments: [80, 120])
    func narrowCurves(width: Int) throws {
        let bench = try bench(width, 36)
        let head = try #require(bench.lines.first { $0.contains("took p95") }, "\(bench.screen)")
        #expect(head.contains(" ended ") && head.contains("failed"), "\(bench.screen)")
        #expect(width < 120 || head.contains("failed %"), "\(bench.screen)")
        let row = try #require(bench.lines.first { $0.contains(" messages ") })
        #expect(row.contains("▇") || row.contains("█"), "\(row)")
    }

    @Test("[ and ] go from an hour to 15 minutes and to 24 hours")
    func spans() throws {
        let bench = try bench()
        bench.press("[")
        #expect(bench.screen.contains("ended in 10 seconds"), "\(bench.screen)")
        #expect(bench.screen.contains("last 15 minutes of messages"))
        bench.press("[")
        #expect(bench.message.contains("no shorter time"))
        bench.press("] ]")
        #expect(bench.screen.contains("ended in 15 minutes"), "\(bench.screen)")
        bench.press("]")
        #expect(bench.message.contains("no longer time"))
    }

    @Test("the charts of the last row have its whole width")
    func lastRow() throws {
        let bench = try bench(160, 60)
        let place = try #require(
            bench.lines.firstIndex { $0.contains("first due task waits") }, "\(bench.screen)")
        let axis = try #require(bench.lines[place...].first { $0.contains("1h ago") })
        let end = try #require(axis.lastIndex { $0 != " " })
        #expect(axis.distance(from: axis.startIndex, to: end) > 140, "\(bench.screen)")
    }

    @Test("attempts that took no time are drawn, not denied")
    func noTime() {
        var series = LinePlot.Line([nil, 0, 0], .next, .solid, sign: "#")
        func chart() -> PulseChart {
            PulseChart(title: "took", lines: [(series, "~p95")], unit: .duration, empty: "none")
        }
        #expect(chart().top == 1 && chart().topWords == "1ms")
        series.values = [nil, nil, nil]
        #expect(chart().top == 0)
        series.values = [nil, 12_000, 0]
        #expect(chart().topWords == "15s")
    }

    @Test("a second look reads only the last minutes, and loses nothing")
    func looks() throws {
        let bench = try bench()
        #expect(bench.screen.contains("ok 274 · failed 26"), "\(bench.screen)")
        bench.wait(milliseconds: 2000)
        try bench.change { writer in
            var attempt = AttemptRecord(
                task: LivingScene.task(5000, "messages", "push", 9000), number: 999, runner: 1,
                startedAt: Self.now)
            attempt.endedAt = Self.now + 1500
            attempt.outcome = .success
            try writer.put([attempt])
        }
        #expect(bench.state.scene?.request.pulseSince != nil)
        #expect(bench.screen.contains("ok 275 · failed 26"), "\(bench.screen)")
    }

    @Test("what waits is seen in every view; nothing is read while nothing changes")
    func waiting() throws {
        let bench = try bench()
        bench.press("1")
        bench.wait(milliseconds: 1000)
        try bench.change { writer in
            try writer.insert(
                (7001...7030).map {
                    NewTask(task: LivingScene.task($0, "messages", "push", 0), payload: [])
                })
        }
        bench.press("7")
        let track = try #require(bench.state.pulse.queues["messages"])
        #expect(track.waiting.since == Self.now)
        #expect(track.series(.quarter, at: bench.now).waiting.last == 42)
        #expect(bench.screen.contains("42 wait now"), "\(bench.screen)")
    }
}
