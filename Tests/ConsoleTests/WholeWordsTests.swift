import SluiceControl
import SluiceModel
import SluiceStore
import SluiceTerminalUI
import Testing

@testable import SluiceConsole

@Suite("Words that are whole where there is room")
struct WholeWordsTests {
    private func bench(
        _ width: Int, _ height: Int, fill: @escaping @Sendable (any StoreWriter) throws -> Void
    ) throws -> Bench {
        let store = MemoryStore(name: "app.db")
        try store.writeBlocking { try fill($0) }
        return Bench(store: store, size: Size(width: width, height: height), now: LivingScene.now)
    }

    /// A queue whose attempts ended in the last seconds, two of three well.
    private static func ended(_ count: Int, _ queue: String, _ writer: any StoreWriter) throws {
        try writer.put(QueueRecord(name: queue, createdAt: LivingScene.now))
        let gone = LivingScene.task(9000, queue, "send", 900)
        try writer.put(
            (0..<count).map { place in
                let ended = LivingScene.ago(Int64(place % 50))
                var attempt = AttemptRecord(
                    task: gone, number: place + 1, runner: 1, startedAt: ended + -900)
                attempt.endedAt = ended
                attempt.outcome = place % 3 == 0 ? .retry : .success
                attempt.isCounted = place % 3 == 0
                return attempt
            })
    }

    /// A task that failed after an attempt of one second.
    private static func failed(_ error: String, _ writer: any StoreWriter) throws {
        try writer.put(QueueRecord(name: "mail", createdAt: LivingScene.now))
        _ = try writer.reserveTaskIDs(1)
        var task = LivingScene.task(1, "mail", "render", 9)
        (task.attempts, task.executions) = (1, 1)
        task.state = .failed(
            Failure(at: LivingScene.ago(9), reason: error, startPolicy: nil))
        let payload = Array(#"{"to":"kim@example.com"}"#.utf8)
        try writer.insert([NewTask(task: task, payload: payload)])
        var attempt = AttemptRecord(
            task: task, number: 1, runner: 1, startedAt: LivingScene.ago(10))
        (attempt.endedAt, attempt.outcome) = (LivingScene.ago(9), .giveUp)
        try writer.put([attempt])
    }

    @Test("K2 K5 at 220 columns what a task is about is whole beside a task that runs")
    func about() throws {
        let bench = try bench(220, 60) { writer in
            try writer.put(QueueRecord(name: "mail", createdAt: LivingScene.now))
            try writer.put(LivingScene.runner(1, pid: 1, types: nil))
            _ = try writer.reserveTaskIDs(20)
            try writer.insert(
                (TaskID(1)...20).map { id in
                    let to =
                        #"{"to":"user\#(id)@mail.example.com","subject":"Invoice \#(id) of May"}"#
                    return NewTask(
                        task: id == 1
                            ? LivingScene.running(1, "mail", "send", since: 3000, owner: 1)
                            : LivingScene.task(id, "mail", "send", 9), payload: Array(to.utf8))
                })
        }
        for id in 1...20 {
            #expect(
                bench.screen.contains("user\(id)@mail.example.com · Invoice \(id) of May"),
                "\(bench.screen)")
        }
        #expect(bench.screen.contains("running 3s  worker 1"), "\(bench.screen)")
        // A few letters more or less in a state move no column.
        let heading = try #require(bench.lines.first { $0.contains(" task ") })
        bench.wait(milliseconds: 100_000)
        #expect(bench.screen.contains("running 1m 43s  worker 1"), "\(bench.screen)")
        #expect(bench.lines.first { $0.contains(" task ") } == heading)
    }

    @Test("K14 in the list of all queues times give way to what tasks are about")
    func all() throws {
        let bench = try bench(220, 60) { writer in
            try Self.failed("no template", writer)
            _ = try writer.reserveTaskIDs(2)
            var start = LivingScene.task(2, "mail", "render", 9)
            (start.groupStart, start.priority, start.isRequired) = ("kim", 3, true)
            let to = Array(#"{"to":"kim@mail.example.com"}"#.utf8)
            try writer.put(QueueRecord(name: "newsletters", createdAt: LivingScene.now))
            let other = LivingScene.task(3, "newsletters", "render", 9)
            try writer.insert([
                NewTask(task: start, payload: to), NewTask(task: other, payload: to),
            ])
        }
        bench.press("h g l")
        let heading = try #require(bench.lines.first { $0.contains(" task ") })
        #expect(heading.contains("need") && heading.contains("group"), "\(bench.screen)")
        #expect(heading.contains("age") && !heading.contains("took"), "\(bench.screen)")
        let whole = bench.lines.filter { $0.contains("render") && $0.contains("example.com  ") }
        #expect(whole.count == 3, "\(bench.screen)")
    }

    @Test("K5 K11 pictures are whole in each place of the console once the terminal joins them")
    func pictures() throws {
        let bench = try bench(160, 40) { writer in
            var queue = QueueRecord(name: "q👩‍👩‍👧", createdAt: LivingScene.now)
            queue.pauses = [
                Pause(cause: .person, by: "dana", reason: "see 👩‍👩‍👧", since: LivingScene.now)
            ]
            try writer.put(queue)
            _ = try writer.reserveTaskIDs(1)
            let payload = Array(#"{"to":"👩‍👩‍👧 at home"}"#.utf8)
            try writer.insert([
                NewTask(task: LivingScene.task(1, "q👩‍👩‍👧", "t👩‍👩‍👧", 9), payload: payload)
            ])
        }
        func divider() -> Set<Int> {
            let x = bench.state.layout.dividerX ?? 0
            return Set(
                (2..<20).filter { bench.buffer[x, $0]?.text != "│" })
        }
        #expect(bench.screen.contains("👩👩👧 at home") && divider() == [], "\(bench.screen)")
        bench.send(.joins(.parts))
        for words in ["q👩‍👩‍👧 ", "t👩‍👩‍👧 ", "👩‍👩‍👧 at home", "\"see 👩‍👩‍👧\""] {
            #expect(bench.screen.contains(words), "\(bench.screen)")
        }
        #expect(!bench.screen.contains("👩👩👧") && divider() == [], "\(bench.screen)")
        bench.press("Enter")
        #expect(bench.screen.contains(#""to": "👩‍👩‍👧 at home""#), "\(bench.screen)")
        bench.press("Esc :")
        bench.type("pause q👩‍👩‍👧")
        #expect(bench.lines.contains { $0.contains(":pause q👩‍👩‍👧") }, "\(bench.screen)")
        #expect(bench.state.cursor(bench.state.size)?.x == 11)
    }

    @Test("K17 at 80x24 the line of the tabs has p95, and from 118x32 on one under the name")
    func health() throws {
        let bench = try bench(80, 24) { try Self.ended(240, "mail", $0) }
        let tabs = try #require(bench.lines.first { $0.contains("1 inventory") })
        #expect(tabs.contains("/min · p95 ~"), "\(bench.screen)")
        bench.press("|")
        #expect(
            bench.lines.contains { $0.contains("9  ") && $0.contains("/min · failed 33 % · p95") },
            "\(bench.screen)")
        bench.press("|")
        bench.send(.resized(Size(width: 118, height: 32)))
        #expect(
            bench.lines[2].contains("in 10m: ok 160 · failed 80 (33 %) · p95"),
            "\(bench.screen)")
    }

    @Test("K20 what failed in the last hour is told before what waits")
    func hour() throws {
        let bench = try bench(160, 48) { writer in
            try Self.ended(2400, "mail", writer)
            _ = try writer.reserveTaskIDs(12_000)
            try writer.insert(
                (1...12_000).map {
                    NewTask(task: LivingScene.task($0, "mail", "t", 9), payload: [])
                })
        }
        let line = try #require(bench.lines.first { $0.contains("last 42 min") })
        #expect(line.contains("ok 1,600 · failed 800"), "\(bench.screen)")
    }

    @Test("K4 the pane of queues is as wide as usual names need, where one has no worker too")
    func names() throws {
        let bench = try bench(80, 24) { writer in
            for name in ["accounts", "reports"] {
                try writer.put(QueueRecord(name: name, createdAt: LivingScene.now))
            }
            _ = try writer.reserveTaskIDs(1)
            try writer.insert(
                [NewTask(task: LivingScene.task(1, "accounts", "t", 9), payload: [])])
        }
        #expect(bench.screen.contains("accounts no worker  "), "\(bench.screen)")
        #expect(bench.lines.contains { $0.contains("reports") })
    }

    @Test("K4 an error is read in view 5 at 80 columns, and what its keys do")
    func failures() throws {
        let bench = try bench(80, 24) { try Self.failed("timeout while waiting for it", $0) }
        bench.press("5")
        #expect(bench.screen.contains("timeout while waiting for it"), "\(bench.screen)")
        #expect(bench.screen.contains("R retries 1"), "\(bench.screen)")
    }

    @Test("K5 the headings of every view are bold where it has the keys")
    func headings() throws {
        let bench = Bench(
            store: try LivingScene.store(), size: Size(width: 118, height: 32),
            now: LivingScene.now)
        for (key, word) in [
            ("1", "task"), ("3", "at"), ("4", "time"), ("6", "worker"), ("7", "due"),
        ] {
            bench.press(key)
            let y = bench.state.layout.headingsY
            let row = Array(bench.buffer[row: y])
            let words = row.map(\.text).joined()
            #expect(words.contains(word), "\(bench.screen)")
            #expect(
                row.contains { $0.emphasis && $0.text != " " }, "view \(key): \(words)")
        }
    }

    @Test("K4 what a worker serves is whole where there is room")
    func served() throws {
        let bench = try bench(160, 48) { writer in
            var runner = LivingScene.runner(1, pid: 4710, types: nil)
            runner.queues = ["mail", "images", "reports", "orders"]
            try writer.put(runner)
            try writer.put(QueueRecord(name: "mail", createdAt: LivingScene.now))
        }
        bench.press("6 v")
        #expect(bench.screen.contains("mail, images, reports, orders"), "\(bench.screen)")
    }

    @Test(
        "K4 bars of the timers stand below each other, apart from numbers, however long they wait")
    func timers() throws {
        let bench = try bench(118, 32) { writer in
            try writer.put(QueueRecord(name: "reports", createdAt: LivingScene.now))
            _ = try writer.reserveTaskIDs(1_000_002)
            try writer.insert(
                [(TaskID(1_000_001), Int64(7100)), (1_000_002, 90)].map { id, seconds in
                    var task = LivingScene.task(id, "reports", "monthly", 9)
                    let until = LivingScene.now + seconds * 1000
                    let timer = WaitTimer(until: until, cause: .notBefore, since: LivingScene.now)
                    task.state = .waiting(Waiting(timer: timer))
                    return NewTask(task: task, payload: [])
                })
        }
        let rows = bench.lines.filter { $0.contains("reports #1000") }
        #expect(rows.count == 2, "\(bench.screen)")
        #expect(rows.contains { $0.contains("1h 58m") }, "\(bench.screen)")
        for row in rows { #expect(row.contains("#1000001 ·") || row.contains("#1000002 ·")) }
    }

    @Test("K5 what was paused says for how long, or since when")
    func paused() throws {
        let bench = Bench(
            store: try LivingScene.store(), size: Size(width: 118, height: 32),
            now: LivingScene.now)
        #expect(bench.lines[1].contains("paused by dana for 2m"), "\(bench.screen)")
        bench.press("T")
        #expect(bench.lines[1].contains("paused by dana since "), "\(bench.screen)")
    }

    @Test("K9 the questions before a stop say what is stopped, whole at 80 columns")
    func stopping() throws {
        let bench = Bench(
            store: try LivingScene.store(), size: Size(width: 80, height: 24),
            now: LivingScene.now)
        bench.press("P")
        #expect(!bench.lines.suffix(7).joined().contains("…"), "\(bench.screen)")
        bench.press("2")
        #expect(bench.screen.contains("pause profiles now: reason"), "\(bench.screen)")
        bench.type("full")
        bench.press("Enter")
        #expect(bench.screen.contains("pause profiles now: for how long"), "\(bench.screen)")
    }

    @Test("K5 a missing worker has one colour, in the headline and in why")
    func lacking() {
        #expect(Blocker.Kind.noRunner.role == .time)
    }

    @Test("K21 errors and what tasks are about come before how long attempts took")
    func took() throws {
        let bench = try bench(120, 36) { try Self.failed("timeout while waiting", $0) }
        #expect(bench.screen.contains("failed: timeout while w"), "\(bench.screen)")
        #expect(bench.screen.contains("kim@example.com"), "\(bench.screen)")
        bench.send(.resized(Size(width: 220, height: 60)))
        #expect(bench.lines[bench.state.layout.headingsY].contains("took"), "\(bench.screen)")
    }

    @Test("K5 settings are whole in view 7, or in the line about the chosen queue")
    func settings() throws {
        for width in [120, 140, 160] {
            let bench = Bench(
                store: try LivingScene.store(), size: Size(width: width, height: 36),
                now: LivingScene.now)
            bench.press("7")
            #expect(bench.screen.contains("fifo · 1 at a time"), "\(bench.screen)")
            #expect(!bench.screen.contains("fifo · 1 at …"), "\(bench.screen)")
        }
    }
}
