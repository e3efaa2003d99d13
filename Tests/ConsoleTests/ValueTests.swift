import SluiceControl
import SluiceModel
import SluiceStore
import SluiceTerminalUI
import Testing

@testable import SluiceConsole

@Suite("Values of the console")
struct ValueTests {
    private var clock: ScreenClock {
        ScreenClock(now: LivingScene.now, format: .utc, ticks: true)
    }

    private func opened(_ payload: String) -> [String] {
        PayloadText(Array(payload.utf8), clock: clock, glyphs: .unicode).opened.map(\.text)
    }

    @Test(
        "a payload's lenses open JSON in texts and base64, keep integers exact and tell times",
        arguments: [
            (#"{"a":9007199254740993}"#, #"  "a": 9007199254740993"#),
            (#"{"a":"{\"b\":1}"}"#, #"  "a": JSON in a text"#),
            (#"{"a":"{\"b\":1}"}"#, #"      "b": 1"#),
            (#"{"a":"eyJ1IjoxLCJ2IjoyfQ=="}"#, #"      "u": 1,"#),
            (#"{"a":"SGVsbG8sIHdvcmxkISBGaW5lLg=="}"#, "    Hello, world! Fine."),
            (#"{"at":1769868202}"#, #"  "at": 1769868202  2026-01-31 14:03:22"#),
            (#"{"a":"identified_profile_dana"}"#, #"  "a": "identified_profile_dana""#),
            ("no JSON at all", "no JSON at all"),
            ("", "nothing"),
        ])
    func lenses(_ payload: String, _ line: String) {
        #expect(opened(payload).contains(line), "\(opened(payload))")
    }

    private static let berlin = "CET-1CEST,M3.5.0,M10.5.0/3"

    @Test(
        "K4 a local time has the offset of its own moment, on days of 23 and of 25 hours",
        arguments: [
            // Now, a moment, its time.
            ("2026-10-25T12:00", "2026-10-25T00:30", "02:30:00"),
            ("2026-10-25T12:00", "2026-10-25T01:30", "02:30:00"),
            ("2026-10-25T12:00", "2026-10-24T21:59", "10-24 23:59:00"),
            ("2026-10-25T12:00", "2026-10-24T22:00", "00:00:00"),
            ("2026-03-29T12:00", "2026-03-29T00:59", "01:59:00"),
            ("2026-03-29T12:00", "2026-03-29T01:00", "03:00:00"),
            ("2026-03-29T12:00", "2026-03-28T22:30", "03-28 23:30:00"),
            ("2026-11-30T12:00", "2026-07-01T12:00", "07-01 14:00:00"),
        ])
    func changeOfClocks(_ now: String, _ moment: String, _ text: String) throws {
        let zone = try #require(ZoneRules(rule: Self.berlin))
        let now = try #require(TimeText.rfc3339(now + ":00Z"))
        let clock = ScreenClock(now: now, format: .local, zone: zone, ticks: true)
        #expect(clock.time(try #require(TimeText.rfc3339(moment + ":00Z"))) == text)
    }

    private static let ages: [(Int64, String)] = [
        (0, "0s"), (59, "59s"), (60, "1m"), (3599, "59m"), (3600, "1h"), (86_399, "23h"),
        (86_400, "1d"), (86_399_999, "999d"), (86_400_000, "2y"), (31_000_000_000, "982y"),
    ]

    @Test("K4 an age has one unit and at most four columns", arguments: ages)
    func age(_ seconds: Int64, _ text: String) {
        var clock = clock
        clock.format = .relative
        let then = Timestamp(milliseconds: clock.now.milliseconds - seconds * 1000)
        #expect(clock.age(then) == text)
    }

    @Test("the raw bytes are one key away and nothing of them is hidden")
    func raw() {
        let text = PayloadText([0, 27, 65, 255], clock: clock, glyphs: .unicode)
        #expect(text.kind == "bytes")
        #expect(text.raw.map(\.text).first?.hasPrefix("     0  00 1b 41 ff") == true)
        #expect(text.raw.map(\.text).first?.hasSuffix("..A.") == true)
    }

    @Test(
        "what removes a blocker is done as the verb it names, at the version that is shown",
        arguments: [
            (Blocker.Fix.resume(queue: "profiles"), Remedy.verb(.resume(.queue("profiles")))),
            (.resumeStore, .verb(.resume(.store))),
            (.resume(queue: "my queue"), .verb(.resume(.queue("my queue")))),
            (.run(queue: "q"), .verb(.run(queue: "q", limit: nil))),
            (.task(.retry, 7), .verb(.retry([TaskTarget(7)]))), (.why(7), .why(7)),
            (.task(.skip, 7), .verb(.skip([TaskTarget(7)], forMilliseconds: nil))),
            (.task(.unskip, 7), .verb(.unskip([TaskTarget(7)]))),
            (.task(.undelete, 7), .verb(.undelete([TaskTarget(7)]))),
            (.task(.reclaim, 7), .verb(.reclaim([TaskTarget(7)]))),
            (.step(7), .step(.task(TaskTarget(7)))),
            (.network(forced: nil), .verb(.network(forced: nil))),
            (.network(forced: true), .verb(.network(forced: true))),
            (.work, .elsewhere("work --handlers FILE")),
            (.foreignTask(.unskip, "a:1"), .elsewhere("unskip a:1")),
        ])
    func fixes(_ fix: Blocker.Fix, _ remedy: Remedy) {
        #expect(Remedy(fix) == remedy)
    }

    @Test(
        "what removes a blocker is written as a shell takes it, its task by its name",
        arguments: [
            (Blocker.Fix.resume(queue: "my queue"), "resume 'my queue'"),
            (.resumeStore, "resume --all"), (.run(queue: "-q"), "run -- -q"),
            (.task(.retry, 7), "retry 3143DAD0"), (.why(7), "why 3143DAD0"),
            (.step(7), "step --task 3143DAD0"), (.task(.undelete, 8), "undelete 8"),
            (.network(forced: nil), "network measured"), (.doctor, "doctor --repair"),
            (.network(forced: nil, queue: "two words"), "network measured --queue 'two words'"),
        ])
    func spellsFixes(_ fix: Blocker.Fix, _ command: String) {
        let names = TaskNames([7: "3143DAD0-8D3C-4F0D-9B0C-0F2D7A1C9E11"])
        #expect(names.command(fix) == command)
    }

    @Test(
        "Tab completes commands, options, choices and queues from the table of actions",
        arguments: [
            ("po", "postpone "), ("queue s", "set "), ("resume pro", "profiles "),
            ("pause profiles --reas", "--reason "), ("pause profiles --direction e", "enqueues "),
            ("network m", "measured "), ("nothing x", nil),
        ])
    func completion(_ line: String, _ word: String?) {
        #expect(Completion(command: line, queues: ["profiles", "jobs"]).word == word)
    }

    @Test("K6 the tally counts each task once, and those whose time has passed as due")
    func tally() throws {
        let store = MemoryStore(name: "app.db")
        let now = LivingScene.now
        let tally = try store.writeBlocking { writer in
            try writer.put(QueueRecord(name: "q", createdAt: now))
            var tasks = (1...3).map { LivingScene.task($0, "q", "t", 9) }
            tasks.append(LivingScene.retrying(4, "q", "t", 1, age: 9, in: -1, of: 5))
            tasks.append(LivingScene.retrying(5, "q", "t", 1, age: 9, in: 4, of: 5))
            var skipped = LivingScene.task(6, "q", "t", 9)
            var waiting = Waiting()
            waiting.skip = Skip(by: "dana", since: now, until: nil, endsWithRun: false)
            skipped.state = .waiting(waiting)
            skipped.isHeld = true
            tasks.append(skipped)
            tasks.append(LivingScene.running(7, "q", "t", since: 10, owner: 1))
            _ = try writer.reserveTaskIDs(7)
            try writer.insert(tasks.map { NewTask(task: $0, payload: []) })
            let reading = try Reading(writer, now: now)
            return try QueueTally(reading.overview(writer.requireQueue("q")))
        }
        #expect(tally.due == 4)
        #expect(tally.retrying == 1)
        #expect(tally.skipped == 1)
        #expect(tally.held == 0)
        #expect(tally.running == 1)
        #expect(tally.live == 7)
    }

    @Test("an edit is shown as its difference before it is committed, and is then one verb")
    func edit() throws {
        let bench = Bench(store: try LivingScene.store(), now: LivingScene.now)
        bench.press("e")
        let target = try #require(bench.state.targets.first)
        #expect(bench.takeEffects().contains(.edit(target)))
        let after = Array(#"{"id":1040,"user":"kim"}"#.utf8)
        bench.send(
            .edited(
                .changed(
                    target,
                    before: LivingScene.payload(
                        LivingScene.task(1040, "profiles", "identify", 0)), after: after)))
        #expect(bench.screen.contains(#"-   "user": "dana","#))
        #expect(bench.screen.contains(#"+   "user": "kim""#))
        bench.press("y")
        #expect(bench.message.contains("edit 1040 --payload-file FILE | done · z undoes it"))
        #expect(try bench.store.readBlocking { try $0.payload(of: 1040) } == after)
        #expect(!bench.takeEffects().contains(.endEdit))
    }

    @Test(
        "B11 an edit that is given up, unchanged or refused lets its task go",
        arguments: ["Esc", "n", "^C", "unchanged", "failed"])
    func editGivenUp(_ way: String) throws {
        let bench = Bench(store: try LivingScene.store(), now: LivingScene.now)
        bench.press("e")
        let target = try #require(bench.state.targets.first)
        _ = bench.takeEffects()
        switch way {
        case "unchanged": bench.send(.edited(.unchanged(target)))
        case "failed": bench.send(.edited(.failed(target, QueueError(.badValue, "not JSON"))))
        default:
            bench.send(.edited(.changed(target, before: [1], after: [2])))
            #expect(!bench.takeEffects().contains(.endEdit))
            bench.press(way)
        }
        #expect(bench.takeEffects().contains(.endEdit))
        #expect(bench.state.modal == nil)
    }

    @Test("B11 a task that somebody edits says who, and e says what takes it away")
    func editedByAnother() throws {
        let bench = Bench(store: try LivingScene.store(), now: LivingScene.now)
        try bench.change { store in
            try store.transact(at: LivingScene.now) {
                try $0.beginEdit(
                    try store.requireTask(1045), by: "kim", owner: 1, instant: 0)
            }
        }
        #expect(bench.screen.contains("edited by kim"))
        bench.press("j j j j j e")
        #expect(bench.message.contains("kim is editing #1045: R takes it away"))
        #expect(!bench.takeEffects().contains { if case .edit = $0 { true } else { false } })
        bench.press("w")
        #expect(bench.screen.contains("kim is editing it"))
        bench.press("q R")
        #expect(bench.message.contains("retry 1045 | done"))
        #expect(!bench.screen.contains("edited by kim"))
    }

    @Test("what a command prints is a page when it is long, and a message when it is short")
    func report() throws {
        let bench = Bench(store: try LivingScene.store(), now: LivingScene.now)
        bench.press(":")
        bench.type("queues")
        bench.press("Enter")
        let lines = (1...80).map { "line \($0)" }
        bench.send(.commanded(token: 1, CommandReport(lines: lines, isFailure: false)))
        #expect(bench.screen.contains("line 1"))
        bench.press("G")
        #expect(bench.screen.contains("line 80"))
        bench.press("q")
        #expect(bench.screen.contains("follows"))
    }

    @Test("a newcomer is told what to press until the first verb, and after the first step")
    func hints() throws {
        let hints = [
            Hint(
                "profiles is paused", [.init("s", "runs one task"), .init("?", "shows the keys")]),
            Hint("exactly one task ran", [.init("w", "says why another waits")]),
        ]
        let bench = Bench(
            store: try LivingScene.store(), size: Size(width: 80, height: 24),
            now: LivingScene.now, hints: hints)
        func line(_ fromEnd: Int) -> String { bench.lines[bench.lines.count - fromEnd] }
        #expect(line(2) == " profiles is paused: s runs one task · ? shows the keys")
        bench.press("n")
        #expect(line(2).contains("profiles is paused"))
        #expect(line(3).contains("no filter is set"))
        bench.send(.resized(Size(width: 46, height: 24)))
        #expect(line(2) == " profiles is paused: s runs one task")
        bench.send(.resized(Size(width: 80, height: 24)))
        bench.press("s")
        #expect(!bench.screen.contains("profiles is paused:"))
        var answer = StepAnswer()
        var attempt = AttemptRecord(
            task: LivingScene.task(1040, "profiles", "identify", 0), number: 3, runner: 1,
            startedAt: LivingScene.now)
        attempt.outcome = .success
        answer.stepped = [Stepped(attempt)]
        bench.send(.stepped(token: 1, .success(answer)))
        #expect(line(2) == " exactly one task ran: w says why another waits")
        #expect(line(3).contains("#1040 identify succeeded"))
        bench.press("j")
        #expect(line(2).contains("exactly one task ran"))
        bench.press("x")
        #expect(!bench.screen.contains("exactly one task ran"))
    }

    @Test("a step says what it executed, what became of it and what comes next")
    func step() throws {
        let bench = Bench(store: try LivingScene.store(), now: LivingScene.now)
        bench.press("s")
        #expect(bench.takeEffects().contains(.step(.queue("profiles", count: 1), token: 1)))
        #expect(bench.message == "step profiles | under way")
        var attempt = AttemptRecord(
            task: LivingScene.task(1040, "profiles", "identify", 0), number: 3, runner: 1,
            startedAt: LivingScene.now)
        attempt.endedAt = LivingScene.now + 88
        attempt.outcome = .success
        var answer = StepAnswer()
        answer.stepped = [Stepped(attempt)]
        answer.next = 1041
        bench.send(.stepped(token: 1, .success(answer)))
        #expect(
            bench.message == "step profiles | #1040 identify succeeded after 88 ms · next #1041")
    }

    @Test("K1 rows that are read late, behind the cursor, leave it on its line of the screen")
    func lateRows() throws {
        let store = MemoryStore()
        try store.writeBlocking { writer in
            try writer.put(QueueRecord(name: "mail", createdAt: LivingScene.now))
            _ = try writer.reserveTaskIDs(80)
            let tasks = (1...80).map { LivingScene.task($0, "mail", "t", 60) }
            try writer.insert(tasks.map { NewTask(task: $0, payload: []) })
        }
        let bench = Bench(
            store: store, size: Size(width: 118, height: 60), now: LivingScene.now)
        let whole = bench.state.list.page
        var part = whole
        part.rows = Array(whole.rows.prefix(36))
        part.reachesEnd = false
        var list = ListState()
        list.page = part
        // Keys come faster than rows.
        for _ in 0..<40 { list.move(by: 1, height: 20) }
        for _ in 0..<5 { list.move(by: -1, height: 20) }
        let (task, line) = (list.line?.task.id, list.cursor - list.top)
        try #require(list.cursor == 35 && list.pendingMove == 0 && whole.rows.count > 40)
        list.apply(whole, height: 20, keeping: .task(leaves: true))
        list.reveal(height: 20, margin: 0)
        #expect(list.line?.task.id == task)
        #expect(list.cursor - list.top == line)
    }
}
