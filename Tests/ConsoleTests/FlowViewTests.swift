import SluiceControl
import SluiceModel
import SluiceStore
import SluiceTerminalUI
import Testing

@testable import SluiceConsole

@Suite("View 9: flow")
struct FlowViewTests {
    private static let now = LivingScene.now

    /// The scene of the drawings, with attempts of `messages` that ended in the last two minutes.
    private func bench(
        _ width: Int = 118, _ height: Int = 36, glyphs: GlyphSet = .unicode
    ) throws -> Bench {
        let store = try LivingScene.store()
        try store.writeBlocking { writer in
            try Self.end((0..<110).map { 120 - $0 }, good: true, writer)
            try Self.end([30, 20, 15, 12], good: false, writer)
        }
        let bench = Bench(
            store: store, size: Size(width: width, height: height), now: Self.now, glyphs: glyphs)
        bench.press("9")
        return bench
    }

    private static func end(_ agos: [Int], good: Bool, _ writer: any StoreWriter) throws {
        let gone = LivingScene.task(5000 + (good ? 0 : 1), "messages", "push", 9000)
        try writer.put(
            agos.enumerated().map { place, ago in
                var attempt = AttemptRecord(
                    task: gone, number: place + 1, runner: 1,
                    startedAt: LivingScene.ago(Int64(ago)) + -5)
                attempt.endedAt = LivingScene.ago(Int64(ago))
                (attempt.outcome, attempt.isCounted) = (good ? .success : .retry, !good)
                return attempt
            })
    }

    private static func add(_ ids: [TaskID], _ writer: any StoreWriter) throws {
        try writer.insert(
            ids.map { NewTask(task: LivingScene.task($0, "jobs", "resize", 0), payload: []) })
    }

    private func lane(_ name: String, _ bench: Bench) throws -> String {
        try #require(bench.lines.first { $0.contains(" \(name) ") }, "\(bench.screen)")
    }

    @Test(
        "9 has a lane for each queue and what ended in the last two minutes",
        arguments: [
            ("flow-80x24", 80, 24, GlyphSet.unicode), ("flow-120x36", 120, 36, .unicode),
            ("flow-160x48", 160, 48, .unicode), ("flow-220x60", 220, 60, .unicode),
            ("flow-ascii-120x36", 120, 36, .ascii), ("flow-60x20", 60, 20, .unicode),
            ("flow-40x10", 40, 10, .unicode),
        ])
    func picture(_ name: String, _ width: Int, _ height: Int, _ glyphs: GlyphSet) throws {
        let bench = try bench(width, height, glyphs: glyphs)
        if glyphs == .ascii {
            #expect(bench.lines.allSatisfy { $0.utf8.allSatisfy { $0 < 128 } }, "\(bench.screen)")
        }
        try Pictures.check(name, bench.buffer)
    }

    @Test("a shut gate says who shut it, and p and r shut and open it")
    func gate() throws {
        let bench = try bench()
        #expect(try lane("profiles", bench).contains("══█ paused by dana 2m"), "\(bench.screen)")
        #expect(try lane("messages", bench).contains("══▶ 1 of 1 run"), "\(bench.screen)")
        #expect(bench.state.selectedQueue == "profiles")
        bench.press("r")
        #expect(!(try lane("profiles", bench)).contains("paused"), "\(bench.screen)")
        bench.press("p")
        #expect(try lane("profiles", bench).contains("══█ paused by dana"))
    }

    @Test("a gate without a running task says what is known of its workers")
    func quietGate() throws {
        let bench = try bench()
        let line = try #require(bench.state.scene?.queue(named: "jobs"))
        func words(running: Int, taken: Int, slots: Int?) -> String {
            var tally = line.tally
            (tally.running, tally.taken) = (running, taken)
            return QueueGate(line.overview, tally, slots: slots).words
        }
        #expect(words(running: 0, taken: 0, slots: nil) == "idle")
        #expect(words(running: 0, taken: 0, slots: 2) == "0 of 2 run")
        #expect(words(running: 0, taken: 2, slots: 2) == "2 taken")
        #expect(words(running: 2, taken: 1, slots: 2) == "2 of 2 run, 1 taken")
        #expect(words(running: 3, taken: 0, slots: nil) == "3 run")
        let store = MemoryStore()
        try store.writeBlocking { writer in
            try writer.put(QueueRecord(name: "mail", createdAt: Self.now))
        }
        let lonely = Bench(store: store, now: Self.now)
        lonely.press("9")
        #expect(try lane("mail", lonely).contains("══█ no worker"), "\(lonely.screen)")
    }

    @Test("a bound of zero is drawn nowhere")
    func bound() throws {
        let bench = try bench()
        var tally = try #require(bench.state.scene?.queues.first).tally
        (tally.failed, tally.bounded) = (0, [.failed])
        #expect(!QueueWords.parts(tally).contains { $0.word == "failed" })
        tally.failed = 3
        #expect(QueueWords.parts(tally).first { $0.word == "failed" }?.label == "failed 3+")
    }

    @Test("s sends one task through the shut gate")
    func oneThrough() throws {
        let bench = try bench()
        _ = bench.takeEffects()
        bench.press("s")
        let steps = bench.takeEffects().filter { if case .step = $0 { true } else { false } }
        #expect(steps.count == 1, "\(bench.message)")
    }

    @Test("an attempt that ends is a dot, which moves and goes")
    func dots() throws {
        let bench = try bench()
        #expect(!(try lane("uploads", bench)).contains("•"))
        try bench.change { writer in
            let gone = LivingScene.task(6000, "uploads", "upload", 9000)
            var attempt = AttemptRecord(
                task: gone, number: 1, runner: 1, startedAt: LivingScene.ago(1))
            attempt.endedAt = Self.now
            attempt.outcome = .success
            try writer.put([attempt])
        }
        func place() throws -> Int? {
            let line = try lane("uploads", bench)
            return line.firstIndex(of: "•").map { line.distance(from: line.startIndex, to: $0) }
        }
        let first = try #require(try place(), "\(bench.screen)")
        let wakes = bench.takeEffects().compactMap { effect in
            if case .wakeAt(let moment) = effect { moment } else { nil }
        }
        #expect(wakes.contains { $0 - Self.now <= 250 }, "\(wakes)")
        bench.wait(milliseconds: 1000)
        #expect(try #require(try place()) > first)
        bench.wait(milliseconds: 1500)
        #expect(try place() == nil, "\(bench.screen)")
    }

    @Test("[ and ] go from two minutes to an hour and a day, and back")
    func spans() throws {
        let bench = try bench()
        #expect(bench.screen.contains("last 2 minutes by 10 s"))
        bench.press("[")
        #expect(bench.message.contains("no shorter time"))
        bench.press("]")
        #expect(bench.screen.contains("last hour by minute"), "\(bench.screen)")
        let plain = Bench(store: try LivingScene.store(), now: Self.now)
        plain.press("9")
        func sums(_ bench: Bench, _ span: FlowSpan) -> [Double] {
            let series = bench.state.flow.all.series(span, at: Self.now)
            return [series.succeeded, series.failed].map {
                $0.compactMap(\.self).reduce(0, +)
            }
        }
        let known = sums(plain, .hour)
        #expect(sums(bench, .hour) == [known[0] + 110, known[1] + 4])
        bench.press("]")
        #expect(bench.screen.contains("last 24 hours by 15 minutes"))
        let day = bench.state.flow.all.series(.day, at: Self.now)
        #expect(sums(bench, .day) == [known[0] + 110, known[1] + 4])
        #expect(day.succeeded.first == .some(nil), "the store keeps an hour")
        bench.press("]")
        #expect(bench.message.contains("no longer time"))
        bench.press("[ [")
        #expect(bench.screen.contains("last 2 minutes by 10 s"))
    }

    @Test("what comes in is counted from what this console saw, also what ended between two looks")
    func arrivals() throws {
        let bench = try bench()
        #expect(!bench.screen.contains("in 0/min"), "nothing is said before two seconds")
        bench.wait(milliseconds: 5000)
        try bench.change { writer in
            try Self.add([7001, 7002, 7003], writer)
            let gone = LivingScene.task(6000, "jobs", "resize", 9)
            var attempt = AttemptRecord(
                task: gone, number: 1, runner: 1, startedAt: Self.now + 4000)
            attempt.endedAt = Self.now + 4900
            attempt.outcome = .success
            try writer.put([attempt])
        }
        let rates = bench.state.flow.all.perMinute(at: bench.now)
        #expect(rates.came == 48, "4 in 5 seconds")
        #expect(bench.state.flow.queues["jobs"]?.perMinute(at: bench.now).came == 48)
        #expect(bench.state.flow.queues["uploads"]?.perMinute(at: bench.now).came == 0)
        bench.wait(milliseconds: 1000)
        let series = bench.state.flow.all.series(.twoMinutes, at: bench.now)
        #expect(series.came.compactMap(\.self).reduce(0, +) == 4)
        #expect(series.succeeded.suffix(3).compactMap(\.self).reduce(0, +) == 1)
    }

    @Test("a time in another view is no time that was seen")
    func gap() throws {
        let bench = try bench()
        bench.wait(milliseconds: 5000)
        bench.press("1")
        bench.wait(milliseconds: 30_000)
        try bench.change { writer in
            try Self.add([7001], writer)
        }
        bench.press("9")
        #expect(bench.state.flow.all.perMinute(at: bench.now).came == nil)
        #expect(bench.state.flow.all.since == bench.now)
    }

    @Test("a click and the arrows choose a queue; Enter opens its tasks")
    func choosing() throws {
        let bench = try bench()
        bench.press("j")
        #expect(bench.state.selectedQueue == "messages")
        let y = try #require(bench.lines.firstIndex { $0.contains(" uploads ") })
        bench.send(.input(.mouse(Mouse(.press(.left), at: Point(x: 10, y: y)))))
        #expect(bench.state.selectedQueue == "uploads", "\(bench.screen)")
        bench.press("Enter")
        #expect(bench.state.view == .inventory && bench.state.selectedQueue == "uploads")
    }

    @Test("an empty store says how to make a task")
    func empty() throws {
        let bench = Bench(
            store: MemoryStore(name: "app.db"), size: Size(width: 80, height: 24), now: Self.now)
        bench.press("9")
        #expect(bench.screen.contains("The store is empty."), "\(bench.screen)")
    }

    @Test("a queue without an end, and a chart without one, say so")
    func noEnds() throws {
        let store = MemoryStore(name: "app.db")
        try store.writeBlocking { writer in
            try writer.put(QueueRecord(name: "jobs", createdAt: Self.now))
            try Self.add([1], writer)
        }
        let bench = Bench(store: store, size: Size(width: 100, height: 30), now: Self.now)
        bench.press("9 ] ] [ [")
        #expect(bench.screen.contains("nothing came or ended in this time"), "\(bench.screen)")
    }
}
