import SluiceControl
import SluiceModel
import SluiceStore
import SluiceTerminalUI
import Testing

@testable import SluiceConsole

@Suite("View 5: what fails now")
struct FailingNowTests {
    private static let now = LivingScene.now

    /// A retrying task, with attempts that failed these numbers of seconds ago.
    private static func retrying(
        _ id: TaskID, _ queue: String, _ error: String, failed agos: [Int64]
    ) -> (task: QueueTask, attempts: [AttemptRecord]) {
        let newest = agos[agos.count - 1]
        var task = LivingScene.retrying(
            id, queue, "charge", agos.count, age: agos[0] + 5, in: 60, of: 60 + newest)
        task.lastError = error
        let attempts = agos.enumerated().map { place, ago in
            var attempt = AttemptRecord(
                task: task, number: place + 1, runner: 1, startedAt: LivingScene.ago(ago + 1))
            attempt.endedAt = LivingScene.ago(ago)
            (attempt.outcome, attempt.isCounted, attempt.error) = (.retry, true, error)
            return attempt
        }
        return (task, attempts)
    }

    private static func put(
        _ found: [(task: QueueTask, attempts: [AttemptRecord])], _ writer: any StoreWriter
    ) throws {
        _ = try writer.reserveTaskIDs(found.count)
        try writer.insert(
            found.map {
                NewTask(task: $0.task, payload: Array(#"{"country":"DE","n":\#($0.task.id)}"#.utf8))
            })
        try writer.put(found.flatMap(\.attempts))
    }

    /// Tasks of one queue that fail: of one error, each tried twice.
    private func bench(_ count: Int = 12, width: Int = 118) throws -> Bench {
        let store = MemoryStore(name: "app.db")
        try store.writeBlocking { writer in
            try writer.put(QueueRecord(name: "billing", createdAt: Self.now))
            try writer.put(LivingScene.runner(1, pid: 4710, types: nil))
            try Self.put(
                (1...count).map { id in
                    Self.retrying(
                        TaskID(id), "billing", "TaxError: no VAT rate for DE",
                        failed: [400 + Int64(id), 20])
                }, writer)
        }
        return Bench(store: store, size: Size(width: width, height: 32), now: Self.now)
    }

    private func row(_ bench: Bench) throws -> String {
        try #require(bench.lines.first { $0.contains("TaxError") }, "\(bench.screen)")
    }

    @Test("a queue whose tasks all wait for a second attempt is there after the first failure")
    func early() throws {
        let bench = try bench(1)
        bench.press("5")
        let row = try row(bench)
        #expect(row.contains(" 1 ") && row.contains("charge"), "\(bench.screen)")
        #expect(bench.screen.contains("Enter its tasks · R retries 1"))
        bench.press("R")
        let commands = bench.takeEffects().compactMap { effect in
            if case .command(let line, _) = effect { line } else { nil }
        }
        #expect(commands.count == 1 && commands[0].hasPrefix("retry --filter"), "\(commands)")
        #expect(commands[0].contains("state:retrying"))
    }

    @Test("since is the first failed attempt, and the rate that of the last minute")
    func since() throws {
        let bench = try bench()
        bench.press("5")
        let row = try row(bench)
        // #12 failed first, 412 seconds ago.
        let first = bench.state.clock.real.time(LivingScene.ago(412))
        #expect(row.contains(" \(first) "), "\(row)")
        #expect(row.contains(" 12/min "), "\(row)")
        #expect(!row.contains("~"))
    }

    @Test("an hour without a failure begins anew, and one of less does not")
    func quietHour() throws {
        for (ago, isOld) in [(Int64(3500), true), (3800, false)] {
            let bench = try bench(2)
            try bench.change { writer in
                try Self.put(
                    [
                        Self.retrying(
                            3, "billing", "TaxError: no VAT rate for DE", failed: [402 + ago])
                    ], writer)
            }
            bench.press("5")
            let first = bench.state.clock.real.time(LivingScene.ago(isOld ? 402 + ago : 402))
            #expect(try row(bench).contains(" \(first) "), "\(bench.screen)")
        }
    }

    @Test("tasks that failed for good and those that wait for a retry are one row")
    func together() throws {
        let bench = try bench(3)
        try bench.change { writer in
            var tasks = try writer.tasks([1])
            tasks[0].state = .failed(
                Failure(
                    at: LivingScene.ago(20), reason: "TaxError: no VAT rate for DE",
                    startPolicy: nil))
            try writer.update(tasks)
        }
        bench.press("5")
        #expect(bench.state.scene?.failures.count == 1)
        #expect(bench.screen.contains("R retries 3"), "\(bench.screen)")
        let pane = try #require(bench.lines.first { $0.contains("billing") && $0.contains("!1") })
        #expect(!pane.contains("↺"), "\(pane)")
        bench.press("Enter")
        #expect(bench.state.list.page.rows.map(\.task.id).sorted() == [1, 2, 3])
    }

    @Test("the pane of queues counts what fails, and a queue with many failed attempts is failing")
    func pane() throws {
        let few = try bench(4)
        let line = try #require(few.lines.first { $0.contains("billing") && $0.contains("↺4") })
        #expect(line.contains("waiting") && few.lines[2].contains("fail"), "\(few.screen)")
        let many = try bench(12)
        #expect(many.lines.contains { $0.contains("billing") && $0.contains("failing") })
        #expect(many.lines.contains { $0.contains("! billing") }, "\(many.screen)")
        // Ten minutes later nothing failed in the last ten minutes.
        many.wait(milliseconds: 700_000)
        many.send(.storeChanged)
        #expect(!many.screen.contains("failing"), "\(many.screen)")
    }

    @Test(
        "a retry that is due stays in view 5 and the pane until it starts",
        arguments: [(0, QueueOrder.fifo), (300, .fifo), (300, .lifo), (300, .priority)])
    func dueRetries(backlog: Int, order: QueueOrder) throws {
        let bench = try bench(4)
        try bench.change { writer in
            var queue = try writer.requireQueue("billing")
            queue.settings.order = order
            try writer.put(queue)
            _ = try writer.reserveTaskIDs(backlog)
            try writer.insert(
                (0..<backlog).map { place in
                    var task = LivingScene.task(TaskID(5 + place), "billing", "charge", 1)
                    task.priority = 1
                    return NewTask(task: task, payload: [])
                })
        }
        bench.press("5")
        bench.wait(milliseconds: 61_000)
        bench.send(.storeChanged)
        for isWoken in [false, true] {
            if isWoken {
                let now = bench.now
                try bench.change { writer in
                    try writer.update(try writer.tasks([1, 2, 3, 4]).map { $0.awake(at: now) })
                }
            }
            #expect(bench.screen.contains("R retries 4"), "\(isWoken) \(bench.screen)")
            #expect(bench.screen.contains("4 tasks wait for a retry"), "\(bench.screen)")
            #expect(bench.lines.contains { $0.contains("billing") && $0.contains("↺4") })
            #expect(bench.screen.contains("payload.country=DE (4 of 4"), "\(bench.screen)")
        }
        bench.press("Enter")
        #expect(bench.state.list.page.rows.map(\.task.id).sorted() == [1, 2, 3, 4])
        let since = bench.now
        try bench.change { writer in
            var tasks = try writer.tasks([1, 2, 3, 4])
            for place in tasks.indices {
                tasks[place].state = .running(
                    Running(owner: 1, token: tasks[place].id, attempt: 3, since: since))
            }
            try writer.update(tasks)
        }
        bench.press("5")
        #expect(bench.state.scene?.failures.isEmpty == true, "\(bench.screen)")
        #expect(!bench.lines.contains { $0.contains("billing") && $0.contains("↺4") })
    }

    @Test("at 80 columns the pane of queues shows the failures of a running queue")
    func narrowPane() throws {
        let bench = Bench(
            store: try LivingScene.store(), size: Size(width: 80, height: 24),
            now: LivingScene.now)
        try bench.change { writer in
            _ = try writer.reserveTaskIDs(1)
            var task = LivingScene.task(1053, "messages", "push", 90)
            task.state = .failed(
                Failure(at: LivingScene.ago(9), reason: "refused", startPolicy: nil))
            try writer.insert([NewTask(task: task, payload: [])])
        }
        func row(_ queue: String) throws -> Substring {
            let line = try #require(
                bench.lines.first { $0.prefix(20).contains(queue) }, "\(bench.screen)")
            return line.prefix { $0 != "│" }
        }
        #expect(try row("messages").contains("● messages !1 "), "\(bench.screen)")
        #expect(try row("profiles").contains("paused !1"), "\(bench.screen)")
        #expect(try row("jobs").contains("○ jobs     ↺1 "), "\(bench.screen)")
    }

    @Test("K5 a state and a count never run together", arguments: [GlyphSet.unicode, .ascii])
    func stateCells(glyphs: GlyphSet) {
        let words = [
            "stuck", "at stop", "paused", "pausing", "blocked", "no worker", "running", "waiting",
            "no run", "failing", "3 failed", "empty",
        ]
        for count in [1, 47, 200, 12_345] {
            var (failed, retrying) = (QueueTally(), QueueTally())
            (failed.failed, retrying.dueRetries) = (count, count)
            for fail in [failed, retrying].map({ Painter.failCell($0, glyphs) }) {
                for word in words {
                    let cell = Painter.stateCell(StyledLine(word), fail)
                    #expect([word, fail.text, "\(word) \(fail.text)"].contains(cell.text))
                    #expect(cell.width <= 9, "\(cell.text)")
                }
            }
        }
        // A lower bound of zero is no failure.
        var unknown = QueueTally()
        unknown.bounded = [.failed]
        #expect(Painter.failCell(unknown, glyphs).width == 0)
    }

    @Test("timers of one queue do not hide those of the others", arguments: [36, 60])
    func timerPane(height: Int) throws {
        let store = MemoryStore(name: "app.db")
        try store.writeBlocking { writer in
            for (place, name) in ["billing", "hooks", "later"].enumerated() {
                var queue = QueueRecord(name: name, createdAt: Self.now)
                queue.settings.priority = 9 - place
                if name == "later" {
                    queue.pauses = [
                        Pause(
                            cause: .person, by: "dana", reason: nil, since: Self.now,
                            until: Self.now + 900_000)
                    ]
                }
                try writer.put(queue)
            }
            try Self.put(
                (1...134).map { id in
                    let isFirst = id <= 94
                    var found = Self.retrying(
                        TaskID(id), isFirst ? "billing" : "hooks", "refused", failed: [20])
                    found.task.state = .waiting(
                        Waiting(
                            timer: WaitTimer(
                                until: Self.now + (isFirst ? 60_000 : 300_000), cause: .retry,
                                since: Self.now)))
                    return found
                }, writer)
        }
        let bench = Bench(
            store: store, size: Size(width: 120, height: height), now: Self.now)
        let pane = bench.lines.map { $0.prefix { $0 != "│" } }
        #expect(pane.contains { $0.contains("billing 94 retries") }, "\(bench.screen)")
        #expect(pane.contains { $0.contains("hooks") && $0.contains("40 retries") })
        let later = try #require(pane.first { $0.contains("later") && $0.contains("15:00") })
        #expect(later.contains("paused"), "\(bench.screen)")
    }

    @Test("a store in which nothing failed has no column for it")
    func noColumn() throws {
        let bench = try bench(2)
        try bench.change { try $0.remove([1, 2]) }
        let pane = bench.lines[2].prefix { $0 != "│" }
        #expect(pane.contains("waits") && !pane.contains("fail"), "\(bench.screen)")
    }

    @Test("the row says what its tasks share and others do not")
    func traits() throws {
        let bench = try bench()
        try bench.change { writer in
            _ = try writer.reserveTaskIDs(20)
            try writer.insert(
                (13...32).map { (id: TaskID) in
                    let country = id == 13 ? "DE" : "FR"
                    return NewTask(
                        task: LivingScene.task(id, "billing", "charge", 50),
                        payload: Array(#"{"country":"\#(country)","n":\#(id)}"#.utf8))
                })
        }
        bench.press("5")
        #expect(
            bench.screen.contains(
                "in common: payload.country=DE (12 of 12; 5 % of those not tried yet)"),
            "\(bench.screen)")
        #expect(!bench.screen.contains("type:charge ("))
    }

    @Test("tasks that succeeded before the failures began are not compared")
    func traitsOfIncident() throws {
        let bench = try bench()
        try bench.change { writer in
            _ = try writer.reserveTaskIDs(40)
            try writer.insert(
                (13...52).map { (id: TaskID) in
                    // #12 failed first, 412 seconds ago.
                    let isBefore = id <= 42
                    let payload = #"{"country":"\#(isBefore ? "DE" : "FR")","n":\#(id)}"#
                    var task = LivingScene.task(id, "billing", "charge", 900)
                    task.state = .succeeded(
                        Success(at: LivingScene.ago(isBefore ? 800 : 100)))
                    return NewTask(task: task, payload: Array(payload.utf8))
                })
        }
        bench.press("5")
        #expect(
            bench.screen.contains(
                "in common: payload.country=DE (12 of 12; 0 % of those that succeeded)"),
            "\(bench.screen)")
    }

    /// A task that succeeded after a failed attempt, so many seconds ago.
    private static func recovered(
        _ id: TaskID, failed ago: Int64, by runner: ProcessID = 1
    ) -> (task: QueueTask, attempts: [AttemptRecord]) {
        var found = retrying(id, "billing", "TaxError: no VAT rate for DE", failed: [ago, ago - 1])
        found.task.state = .succeeded(Success(at: LivingScene.ago(ago - 1)))
        (found.attempts[1].outcome, found.attempts[1].error) = (.success, nil)
        for place in found.attempts.indices { found.attempts[place].runner = runner }
        return found
    }

    @Test("since and rate count tasks that succeeded at their retry")
    func recovered() throws {
        let bench = try bench(1)
        try bench.change { writer in
            try Self.put(
                (2...301).reversed().map { Self.recovered(TaskID($0), failed: 5 + $0 / 6) }, writer)
        }
        bench.press("5")
        let failure = try #require(bench.state.scene?.failures.first)
        // #1 failed first, 401 seconds ago; the log's newest 200 lines end before that.
        #expect(failure.since?.at == LivingScene.ago(401))
        #expect(failure.rate?.isEstimate == true)
        #expect((270...301).contains(failure.rate?.perMinute ?? 0), "\(failure)")
        try bench.change { try $0.remove([1]) }
        try bench.change { writer in
            try Self.put(
                [Self.retrying(302, "billing", "TaxError: no VAT rate for DE", failed: [2])],
                writer)
        }
        bench.send(.storeChanged)
        let row = try row(bench)
        // All failures of the hour are of one kind: the first ten seconds with one.
        let first = bench.state.clock.real.time(LivingScene.ago(402))
        #expect(row.contains(" ~\(first) "), "\(row)")
    }

    @Test("the worker of all failing tasks is named, of those whose worker was looked up")
    func worker() throws {
        let bench = try bench(60)
        try bench.change { writer in
            try Self.put(
                (61...120).map { Self.recovered(TaskID($0), failed: 60, by: 2) }, writer)
        }
        bench.press("5")
        #expect(
            bench.screen.contains("worker 4710 on atlas (40 of 40; 0 % of those that succeeded)"),
            "\(bench.screen)")
    }

    @Test("at 80 columns the common traits continue on a line, and no command is cut")
    func narrowTraits() throws {
        let bench = try bench(width: 80)
        bench.press("5")
        let lines = bench.lines
        let place = try #require(lines.firstIndex { $0.contains("in common:") }, "\(bench.screen)")
        #expect(!lines[place].contains("…"), "\(bench.screen)")
        #expect(!lines.contains { $0.contains("$ sluice") && $0.contains("…") }, "\(bench.screen)")
    }

    @Test("view 5 fits where there is less room", arguments: [80, 118, 160])
    func widths(width: Int) throws {
        let bench = try bench(width: width)
        bench.press("5")
        #expect(try row(bench).contains("12"), "\(bench.screen)")
        #expect(bench.lines.contains { $0.contains("retrying") && $0.contains("error") })
    }
}
