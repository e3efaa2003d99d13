import SluiceControl
import SluiceModel
import SluiceStore
import SluiceTerminalUI
import Testing

@testable import SluiceConsole

@Suite("Timeline: its page")
struct TimelineViewTests {
    private static let now = TimelineScene.now

    private func bench(
        _ width: Int = 120, _ height: Int = 36, glyphs: GlyphSet = .unicode
    ) throws -> Bench {
        let bench = Bench(
            store: try TimelineScene.store(), size: Size(width: width, height: height),
            now: Self.now, glyphs: glyphs)
        bench.press("7")
        let names = bench.state.scene?.queues.map(\.name) ?? []
        if names.first != "startup" { bench.press("j") }
        #expect(bench.state.selectedQueue == "startup")
        return bench
    }

    private func row(_ type: String, _ bench: Bench) throws -> String {
        try #require(bench.lines.first { $0.contains(" \(type) ") }, "\(bench.screen)")
    }

    @Test(
        "W draws the newest run of a queue of runs",
        arguments: [
            ("bars-80x24", 80, 24, GlyphSet.unicode),
            ("bars-120x36", 120, 36, .unicode), ("bars-160x48", 160, 48, .unicode),
            ("bars-ascii-120x36", 120, 36, .ascii), ("bars-40x10", 40, 10, .unicode),
        ])
    func picture(_ name: String, _ width: Int, _ height: Int, _ glyphs: GlyphSet) throws {
        let bench = try bench(width, height, glyphs: glyphs)
        bench.press("W j j")
        if glyphs == .ascii {
            #expect(bench.lines.allSatisfy { $0.utf8.allSatisfy { $0 < 128 } }, "\(bench.screen)")
        }
        try Pictures.check(name, bench.buffer)
    }

    @Test("W says its command, and what the chosen task waited for")
    func words() throws {
        let bench = try bench()
        bench.press("W")
        #expect(bench.message.contains("$ sluice timeline startup --run 0"), "\(bench.message)")
        bench.press("j j")
        #expect(
            bench.screen.contains("waited 750 ms for its turn: #1 network 420 ms, #2 location"),
            "\(bench.screen)")
        #expect(bench.screen.contains("failed after 270 ms: HTTP 401"))
        #expect(bench.screen.contains("critical path  #1 420 ms → #2 330 ms → #3 600 ms"))
        #expect(bench.screen.contains("startup  run ended"))
    }

    @Test(
        "W in view 6 has a picture of lanes at each size",
        arguments: [
            ("lanes-40x10", 40, 10, GlyphSet.unicode), ("lanes-80x24", 80, 24, .unicode),
            ("lanes-ascii-80x24", 80, 24, .ascii), ("lanes-120x36", 120, 36, .unicode),
        ])
    func lanes(_ name: String, _ width: Int, _ height: Int, _ glyphs: GlyphSet) throws {
        let bench = Bench(
            store: try LivingScene.store(), size: Size(width: width, height: height),
            now: LivingScene.now, glyphs: glyphs)
        bench.press("6 W")
        try Pictures.check(name, bench.buffer)
    }

    @Test("W in view 6 draws a lane for each slot of each worker; Enter opens its task")
    func workers() throws {
        let bench = Bench(
            store: try LivingScene.store(), size: Size(width: 120, height: 36),
            now: LivingScene.now)
        bench.press("6 W")
        #expect(bench.message.contains("$ sluice timeline --workers"), "\(bench.message)")
        #expect(bench.screen.contains("workers  8 slots · 2 busy"), "\(bench.screen)")
        for slot in 1...4 {
            #expect(bench.screen.contains("4710/\(slot)") && bench.screen.contains("4711/\(slot)"))
        }
        let row = try #require(bench.lines.first { $0.contains("4710/1") })
        #expect(row.contains("push"), "\(row)")
        #expect(bench.screen.contains("worker 4710 slot 1"), "\(bench.screen)")
        #expect(bench.screen.contains("#930 push runs for 3s"), "\(bench.screen)")
        bench.press("Enter")
        guard case .detail(930, _)? = bench.state.page else {
            Issue.record("\(bench.screen)")
            return
        }
        bench.press("Esc j Enter")
        #expect(bench.message.contains("nothing ran in this slot"), "\(bench.message)")
        bench.press("k W")
        #expect(bench.state.timelinePage?.scope == .attempts(930), "\(bench.screen)")
        bench.press("Esc j Esc 6 W j W")
        #expect(bench.message.contains("nothing ran in this slot"), "\(bench.message)")
    }

    @Test("the command's zero is a time of its zone")
    func zone() throws {
        let timeline = try TimelineScene.store().readBlocking { reader in
            try Reading(reader, now: Self.now).taskTimeline(.run("startup", back: 0))
        }
        var picture = TimelinePicture()
        #expect(picture.lines(timeline).contains { $0.contains("0 is 14:03:14") })
        picture.zone = .fixed(seconds: 7200)
        #expect(picture.lines(timeline).contains { $0.contains("0 is 16:03:14") })
    }

    @Test("the critical path continues on the next line where it is long")
    func longPath() throws {
        let bench = try bench(80, 24)
        bench.press("W")
        let place = try #require(
            bench.lines.firstIndex { $0.contains("critical path") }, "\(bench.screen)")
        #expect(!bench.lines[place].contains("…"), "\(bench.screen)")
        #expect(bench.lines[place + 1].contains("→"), "\(bench.screen)")
        #expect(!bench.lines[1].contains("…"), "\(bench.screen)")
    }

    @Test("the lanes end now, also after a zoom")
    func lanesEndNow() throws {
        let bench = Bench(
            store: try LivingScene.store(), size: Size(width: 120, height: 36),
            now: LivingScene.now)
        func endsNow() throws -> Bool {
            let heading = try #require(bench.lines.first { $0.contains(" slot type ") })
            return heading.contains("0    busy")
        }
        bench.press("6 W + + +")
        for _ in 1...2 {
            #expect(try endsNow(), "\(bench.screen)")
            bench.wait(milliseconds: 40_000)
        }
        // The upload runs all the time.
        let lane = try #require(bench.lines.first { $0.contains("4711/1") })
        #expect(lane.filter { $0 == "▄" }.count > 50 && !lane.contains("▄ ▄"), "\(lane)")
        bench.press("h")
        #expect(try endsNow(), "\(bench.screen)")
        #expect(bench.message.contains("the lanes of workers end now"), "\(bench.message)")
    }

    @Test("< and > go to the run before and after; the oldest and newest say so")
    func runs() throws {
        let bench = try bench()
        bench.press("W <")
        #expect(bench.message.contains("timeline startup --run 1"))
        #expect(bench.screen.contains("#90") && bench.screen.contains("run -1 ended"))
        bench.press("<")
        #expect(bench.screen.contains("no run 2 before the newest"), "\(bench.screen)")
        bench.press("<")
        #expect(bench.message.contains("oldest run"))
        bench.press("> > >")
        #expect(bench.message.contains("newest run"))
        #expect(bench.screen.contains("#10"))
    }

    @Test("+ and - zoom around the chosen task, arrows move, and a refresh moves neither")
    func zoom() throws {
        let bench = try bench()
        bench.press("W j j")
        bench.press("Right")
        #expect(bench.message.contains("+ zooms in"))
        bench.press("+ +")
        let zoomed = try row("my information", bench)
        let window = try #require(bench.state.timelinePage?.window)
        #expect(window.length == 968 && window.from <= TimelineScene.began + 750)
        bench.press("Right")
        #expect(bench.state.timelinePage?.window?.from == window.from + 242)
        bench.press("Left")
        try bench.change { writer in
            try writer.put([TimelineScene.attempt(60, "late", 1, 6000, 900)])
            try TimelineScene.endRun(writer, 7000, attempts: 1)
        }
        #expect(bench.state.timelinePage?.window == window)
        bench.press("<")
        #expect(bench.state.timelinePage?.window == nil)
        bench.press("j j + +")
        #expect(try row("my information", bench) == zoomed)
        bench.press("- - -")
        #expect(bench.state.timelinePage?.window == nil)
        #expect(bench.message.contains("that is all of it"))
    }

    @Test("what comes moves no row that a person chose")
    func pinned() throws {
        let bench = Bench(
            store: try TimelineScene.store(), size: Size(width: 100, height: 24), now: Self.now)
        try bench.change { writer in
            try writer.put(
                (0..<200).map {
                    TimelineScene.attempt(
                        1000 + $0, "resize", 1, -500_000 + $0 * 1000, 500, queue: "jobs")
                })
        }
        bench.press("7")
        if bench.state.selectedQueue != "jobs" { bench.press("k") }
        bench.press("W")
        #expect(bench.state.timelinePage?.chosen?.task == 1199, "the newest one")
        // The axis covers the rows on the screen. The key - shows more.
        let oldest = try #require(bench.lines.first { $0.contains(" #1185 ") })
        #expect(oldest.hasPrefix(" ✓ #1185 resize  ██"), "\(bench.screen)")
        #expect(bench.lines.contains { $0.contains(" 3m 10s ") }, "\(bench.screen)")
        bench.press("- - - - -")
        #expect(bench.message.contains("that is all of it"), "\(bench.message)")
        bench.press("Esc W")
        bench.press("k k")
        let y = try #require(bench.lines.firstIndex { $0.contains("#1197") })
        try bench.change { writer in
            try writer.put(
                (0..<3).map {
                    TimelineScene.attempt(
                        1200 + $0, "resize", 1, $0 * 1000, 500, queue: "jobs")
                })
        }
        #expect(bench.state.timelinePage?.chosen?.task == 1197)
        #expect(bench.lines.firstIndex { $0.contains("#1197") } == y, "\(bench.screen)")
        #expect(bench.screen.contains("the newest 200 tasks"), "\(bench.screen)")
        bench.press("G")
        #expect(bench.state.timelinePage?.chosen?.task == 1202)
    }

    @Test("W is about the marked tasks, the group at the cursor, or the task whose page is open")
    func scopes() throws {
        let bench = Bench(
            store: try LivingScene.store(), size: Size(width: 120, height: 36), now: Self.now)
        bench.press("W")
        #expect(bench.message.contains("$ sluice timeline profiles"), "\(bench.message)")
        bench.press("Esc")
        #expect(bench.state.page == nil)
        bench.press("Space j Space")
        let marked = bench.state.marks.targets.map(\.id)
        bench.press("W")
        #expect(marked.count == 2 && bench.state.timelinePage?.scope == .tasks(marked))
        bench.press("Esc Esc Enter")
        let subject = try #require(bench.state.page?.subject)
        bench.press("W")
        #expect(bench.state.timelinePage?.scope == .attempts(subject), "\(bench.screen)")
        bench.press("Esc Esc 2 W")
        #expect(bench.message.contains(" --group "), "\(bench.message)")
    }

    @Test("Enter opens the task; one that is gone says so, and the timeline stays")
    func opening() throws {
        let bench = try bench()
        bench.press("W j Enter")
        #expect(bench.screen.contains("location") && bench.state.timelinePage == nil)
        bench.press("Esc")
        #expect(bench.state.timelinePage?.chosen?.task == 2)
        bench.press("< Enter")
        #expect(bench.message.contains("#90 was removed"), "\(bench.message)")
        #expect(bench.state.timelinePage != nil)
    }

    @Test("a running bar grows with the time and without a read; nothing asks when nothing runs")
    func growing() throws {
        let bench = try bench()
        bench.press("W")
        _ = bench.takeEffects()
        bench.wait(milliseconds: 1000)
        #expect(bench.takeEffects().allSatisfy { if case .load = $0 { false } else { true } })
        let now = bench.now
        try bench.change { writer in
            var runs = TimelineScene.task(70, "long")
            runs.state = .running(Running(owner: 1, token: 1, attempt: 1, since: now))
            runs.executions = 1
            try writer.insert([NewTask(task: runs, payload: [])])
            var queue = try writer.requireQueue("startup")
            queue.run = Run(number: 9, since: Self.now, limit: nil)
            try writer.put(queue)
        }
        func length() throws -> Int {
            try row("long", bench).count { $0 == "▄" }
        }
        bench.press("g -")
        #expect(bench.screen.contains("run in progress"), "\(bench.screen)")
        let took = try row("long", bench)
        _ = bench.takeEffects()
        bench.wait(milliseconds: 3000)
        #expect(bench.takeEffects().allSatisfy { if case .load = $0 { false } else { true } })
        #expect(try row("long", bench) != took && length() > 1, "\(bench.screen)")
    }
}
