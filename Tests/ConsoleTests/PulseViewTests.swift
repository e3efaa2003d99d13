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

    @Test("four charts, also at 80x24, and none at 40x10")
    func charts() throws {
        let wide = try bench()
        let titles = ["ended in a minute", "wait from due to start", "took", "waiting"]
        for title in titles + ["first due task waits"] {
            #expect(wide.screen.contains(title), "\(wide.screen)")
        }
        #expect(wide.screen.contains("~p95") && wide.screen.contains("1h ago"))
        #expect(wide.screen.contains("seen since"))
        let small = try bench(80, 24)
        for title in titles { #expect(small.screen.contains(title), "\(small.screen)") }
        #expect(!small.screen.contains("first due task waits"))
        let least = try bench(40, 10)
        #expect(!least.screen.contains("ended in"), "\(least.screen)")
    }

    @Test("each row has curves where the width permits, and ASCII has signs of its own")
    func curves() throws {
        let bench = try bench(220, 60)
        let head = try #require(bench.lines.first { $0.contains("fail %") })
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
        #expect(head.contains("fail %") && head.contains("wait p95"), "\(bench.screen)")
        let row = try #require(bench.lines.first { $0.contains(" messages ") })
        #expect(row.contains("▇") || row.contains("█"), "\(row)")
    }

    @Test("a row has the figures of the whole span, at 80 columns without their curves")
    func figures() throws {
        for width in [80, 160] {
            let bench = try bench(width, 24 + width / 10)
            let row = try #require(bench.lines.first { $0.contains(" messages ") })
            #expect(row.contains("~1.9s"), "\(bench.screen)")
            #expect(row.contains("~960 ms") && row.contains(" 9 %"), "\(bench.screen)")
            let empty = try #require(bench.lines.first { $0.contains(" startup ") })
            #expect(!empty.contains("%"), "\(bench.screen)")
        }
    }

    @Test(
        "the axis of a day has the local times of its ends on days of 23 and of 25 hours",
        arguments: [
            // 2026-03-29 and 2026-10-25, noon in Berlin.
            (Int64(1_774_778_400_000), "11:00", "23:00"), (1_792_926_000_000, "13:00", "01:00"),
        ])
    func shortDay(now: Int64, begin: String, middle: String) throws {
        let store = MemoryStore(name: "app.db")
        let moment = Timestamp(milliseconds: now)
        try store.writeBlocking { writer in
            try writer.put(QueueRecord(name: "mail", createdAt: moment + -86_400_000))
        }
        let bench = Bench(store: store, size: Size(width: 120, height: 36), now: moment)
        bench.send(.zone(try #require(ZoneRules(rule: "CET-1CEST,M3.5.0,M10.5.0/3"))))
        bench.press("7 j T ]")
        let axis = try #require(bench.lines.first { $0.contains("now") }, "\(bench.screen)")
        #expect(axis.contains(begin) && axis.contains(middle), "\(bench.screen)")
        let parts = PulseTrack().series(.day, at: moment).waiting.count
        #expect(parts == 96)
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
