import SluiceControl
import SluiceModel
import SluiceStore
import Testing

@testable import SluiceCommand
@testable import SluiceConsole
@testable import SluiceForeignQueues

@Suite("Words of other systems")
struct ForeignWordsTests {
    @Test("the first look omits ended tasks, so that older failures are none that a watch saw")
    func firstLook() {
        func look(_ failed: Int, isFirst: Bool = false) -> ForeignLook {
            var queue = ForeignQueue(name: "mail", system: "celery")
            queue.failed = failed
            let name = ForeignQueueName(
                system: "celery", name: "mail", shown: "mail", spelled: "mail")
            var look = ForeignLook()
            (look.queues, look.asksRunners) = ([name: queue], !isFirst)
            return look
        }
        let now = Timestamp(milliseconds: 1_769_868_202_000)
        var ends = ForeignEnds()
        #expect(ends.update(look(0, isFirst: true), at: now).isEmpty)
        #expect(ends.update(look(60), at: now + 1000).isEmpty)
        let alerts = ends.update(look(80), at: now + 2000)
        #expect(alerts["mail"]?.text.contains("20 of 20 tasks failed") == true, "\(alerts)")
    }

    @Test("D3 an error of another system's worker is told as it is, whatever numbers it has")
    func error() {
        let task = QueueTask(
            id: 1, queue: "q", type: "t", position: 1, createdAt: Timestamp(milliseconds: 0))
        var attempt = AttemptRecord(
            task: task, number: 1, runner: 0, startedAt: Timestamp(milliseconds: 0))
        attempt.endedAt = Timestamp(milliseconds: 5)
        attempt.outcome = .giveUp
        attempt.error = "row #1 of #2 is bad"
        let names = TaskNames(foreign: [1: "job-one", 2: "job-two"], isWhole: true)
        let line = StepText.line(Stepped(attempt), names: names)
        #expect(line == "job-one t  gave up after 5 ms: row #1 of #2 is bad")
    }

    @Test("D3 an execution of which nothing is kept is told so, and is not known to have failed")
    func remark() {
        let task = QueueTask(
            id: 1, queue: "q", type: "t", position: 1, createdAt: Timestamp(milliseconds: 0))
        var stepped = Stepped(
            AttemptRecord(task: task, number: 1, runner: 0, startedAt: Timestamp(milliseconds: 0)))
        stepped.remark = "it has ended; nothing here says how"
        let names = TaskNames(foreign: [1: "job-one"], isWhole: true)
        #expect(
            StepText.line(stepped, names: names)
                == "job-one t  it has ended; nothing here says how")
        var answer = StepAnswer()
        answer.stepped = [stepped]
        #expect(StepText.exit(answer, isChecked: true) == .done)
    }

    @Test("D3 a sentence of another system keeps its numbers; an event names its task by its id")
    func sentences() {
        let names = TaskNames(foreign: [1: "12", 12: "23"], isWhole: true)
        let advice = "task 12 is skipped already; sluice unskip 12 takes it back in, not #12"
        #expect(names.text(advice) == advice)
        #expect(names.own("1 task: #12 waits") == "1 task: 23 waits")
        var event = JournalEvent(
            at: Timestamp(milliseconds: 5), kind: "skip", queue: "q", task: 1, by: "ann",
            text: "#1 skipped by ann, after #12")
        #expect(names.text(of: event) == "12 skipped by ann, after #12")
        event.task = nil
        #expect(names.text(of: event) == "#1 skipped by ann, after #12")
    }

    @Test("D3 an execution whose begin its system does not keep has no duration")
    func unknownBegin() {
        let task = QueueTask(
            id: 1, queue: "q", type: "t", position: 1, createdAt: Timestamp(milliseconds: 0))
        var attempt = AttemptRecord(task: task, number: 1, runner: 0, startedAt: .unknown)
        attempt.endedAt = Timestamp(milliseconds: 1_800_000_000_000)
        attempt.outcome = .giveUp
        attempt.error = "card declined"
        #expect(AttemptText(attempt).sentence == "gave up: card declined")
        #expect(AttemptText(attempt).took == nil)
    }

    @Test("D3 tasks of one queue have short names that differ, whatever their ids begin with")
    func shortNames() {
        let names = TaskNames(foreign: [
            1: "saq:job:mail:f8d5c442-ec6d-11f1", 2: "redbeat:poll", 3: "reports:112fc1008d15",
            4: "4e75d8d0-434b-4d72", 5: "::",
        ])
        #expect(
            (1...5).map { names.name($0) } == ["f8d5c442", "poll", "112fc100", "4e75d8d0", "::"])
        #expect(names.word(2) == "redbeat:poll")
    }

    @Test("D3 a task whose executions its system does not count has no number of them")
    func uncounted() {
        var task = ForeignTask(reference: "a", queue: "mail", type: "Charge", display: .failed)
        task.attemptLimit = 3
        let payload = ForeignPayload(bytes: [], format: "json", value: nil, whyFixed: nil)
        #expect(
            ForeignText.detail(ForeignDetail(task: task, payload: payload))
                .contains("attempts: at most 3"))
        task.attempts = 1
        #expect(
            ForeignText.detail(ForeignDetail(task: task, payload: payload))
                .contains("attempts: 1/3"))
    }

    @Test(
        "D3 an attempt shows the line of its error that names the cause",
        arguments: [
            (
                "RuntimeException: no card in a.php:3\nStack trace:\n#0 {main}",
                "RuntimeException: no card in a.php:3"
            ),
            (
                "Traceback (most recent call last):\n  File \"a\"\nValueError: bad\n",
                "ValueError: bad"
            ),
            (
                "bad : Traceback (most recent call last):\n  File \"a\"\nValueError: bad\n",
                "ValueError: bad"
            ),
            ("Error: no route\n    at connect (net.js:1)", "Error: no route"),
        ])
    func causes(_ example: (error: String, line: String)) {
        let task = ForeignTask(reference: "a", queue: "mail", type: "Charge", display: .failed)
        let payload = ForeignPayload(bytes: [], format: "json", value: nil, whyFixed: nil)
        var detail = ForeignDetail(task: task, payload: payload)
        var attempt = ForeignAttempt(number: 1)
        attempt.outcome = "giveUp"
        attempt.error = example.error
        detail.attempts = [attempt]
        #expect(ForeignText.detail(detail).contains("attempt 1: giveUp: \(example.line)"))
    }

    @Test("X1 list shows a copy of a task that its own system blocks as blocked")
    func blockedCopy() throws {
        let bench = Bench()
        var blocked = QueueTask(
            id: 7, queue: "mail", type: "Charge", position: 1, createdAt: Bench.start)
        var waiting = Waiting()
        waiting.parking = Parking(
            blockedBy: "Oban", detail: "it waits for something else first", since: Bench.start)
        blocked.state = .waiting(waiting)
        var parked = QueueTask(
            id: 8, queue: "mail", type: "Charge", position: 2, createdAt: Bench.start)
        waiting.parking = Parking(cause: .missing, detail: "", since: Bench.start)
        parked.state = .waiting(waiting)
        let tasks = [blocked, parked].map { NewTask(task: $0, payload: []) }
        try bench.store.writeBlocking { store in
            try store.put(QueueRecord(name: "mail", createdAt: Bench.start))
            try store.insert(tasks)
        }
        let rows = bench("list mail").output.split(separator: "\n")
        #expect(rows[1].contains(" blocked") && !rows[1].contains("parked"), "\(rows)")
        #expect(rows[2].contains("parked"), "\(rows)")
        let json = bench("list mail --json").json["tasks"]?.array
        #expect(json?.map { $0["display"] } == ["blocked", "parked"])
    }

    @Test("D5 the key of skip takes a skipped task of another system back in")
    func keys() throws {
        let rules = try #require(SystemRules.byName["laravel"])
        let possible = ForeignPossible(rules, name: "laravel")
        #expect(possible.taskRefusals["skipped"]?[.skip] == nil)
        #expect(possible.taskRefusals["next"]?[.unskip]?.reason == "is not skipped")
        #expect(possible.helps[.delete] == "take it out; undo brings it back")
    }

    @Test(
        "a shown command has PASSWORD in the place of a password",
        arguments: [
            (
                "amqp://guest:guest@h:5672/%2F?management=1",
                "amqp://guest:PASSWORD@h:5672/%2F?management=1"
            ),
            ("mysql://kim@h/shop", "mysql://kim@h/shop"),
            ("mysql://kim:a%40b@h/shop", "mysql://kim:PASSWORD@h/shop"),
            ("redis://:secret@h:6379/2", "redis://:PASSWORD@h:6379/2"),
            ("postgres://kim:secret@h/shop?schema=a", "postgres://kim:PASSWORD@h/shop?schema=a"),
        ])
    func passwords(address: String, shown: String) {
        #expect(ForeignPlacing.command(address) == shown)
    }

    @Test("D3 queues that no worker serves say so, as in the console")
    func unserved() {
        var mail = ForeignQueue(name: "mail", system: "rq")
        mail.waiting = 2
        var etl = mail
        etl.name = "etl"
        let lack = RunnerLack.queue("mail", runners: 1, serve: ["etl"])
        let lines = ForeignText.queues(
            [etl, mail], lacks: [1: lack], now: Timestamp(milliseconds: 0), width: nil)
        #expect(lines[1].hasSuffix("  waiting") && lines[2].hasSuffix("  no worker for mail"))
    }

    @Test(
        "D3 commands and console have one word for the condition of a queue",
        arguments: [
            ([0, 0, 0, 0, 0], "empty", "idle"), ([0, 0, 1, 0, 0], "blocked", "waiting"),
            ([0, 2, 0, 0, 0], "waiting", "waiting"), ([0, 2, 1, 0, 0], "waiting", "waiting"),
            ([2, 0, 0, 2, 0], "blocked", "waiting"), ([2, 0, 0, 1, 0], "waiting", "waiting"),
            ([0, 0, 0, 0, 3], "3 failed", "idle"), ([1, 1, 1, 0, 3], "waiting", "waiting"),
        ])
    func condition(_ example: (counts: [Int], word: String, json: String)) {
        var queue = ForeignQueue(name: "mail", system: "rq")
        (queue.waiting, queue.delayed, queue.skipped) =
            (example.counts[0], example.counts[1], example.counts[2])
        (queue.blocked, queue.failed) = (example.counts[3], example.counts[4])
        let now = Timestamp(milliseconds: 0)
        let row = ForeignText.queues([queue], now: now, width: nil)[1]
        #expect(row.hasSuffix("  \(example.word)"), "\(row)")
        #expect(ForeignJSON.state(queue) == example.json)
        let overview = QueueOverview(QueueRecord(name: "mail", createdAt: now))
        let line = QueueLine(queue, overview, lack: nil, system: "rq")
        #expect(QueueLook(line).word == example.word)
        queue.running = 1
        #expect(queue.status() == .running && ForeignJSON.state(queue) == "running")
        queue.running = 0
        queue.bounds = [.waiting]
        #expect(![.empty, .failed(3)].contains(queue.status()))
        queue.ownPause = "by ann"
        #expect(queue.status() == .paused && ForeignJSON.state(queue) == "paused")
    }

    @Test("the number of due tasks is unsure where the counts are that it comes from")
    func unsureDue() {
        func names(_ key: String, _ counts: Set<ForeignCount>) -> JSONValue? {
            var queue = ForeignQueue(name: "mail", system: "oban")
            (queue.estimates, queue.bounds) = key == "estimated" ? (counts, []) : ([], counts)
            return ForeignJSON.queue(queue)[key]
        }
        for key in ["estimated", "bounded"] {
            #expect(names(key, []) == [])
            #expect(names(key, [.waiting]) == ["due", "waiting"])
            #expect(names(key, [.blocked]) == ["blocked", "due"])
            // Delayed tasks wait too, and are not due.
            #expect(names(key, [.delayed]) == ["delayed", "waiting"])
            #expect(names(key, [.failed, .succeeded]) == ["failed", "succeeded"])
        }
    }

    @Test("D3 a leak that no pause ends names what ends it")
    func mended() {
        var queue = ForeignQueue(name: "mail", system: "rabbitmq")
        let note = HoldNote(by: "ann", since: Timestamp(milliseconds: 0))
        queue.hold = ForeignHold(note: note, recipe: "guard", leak: "mail is deleted")
        queue.hold?.mend = "make it again"
        #expect(ForeignText.leak(queue) == "; mail is deleted: make it again")
    }

    @Test("D3 the words of a hold say that a count is a bound, and how a leak ends")
    func hold() {
        var queue = ForeignQueue(name: "mail", system: "laravel")
        queue.held = 90
        queue.bounds = [.held]
        let since = Timestamp(milliseconds: 1_800_000_000_000)
        queue.hold = ForeignHold(
            note: HoldNote(by: "ann", since: since), recipe: "trigger", leak: "a part waits")
        #expect(
            ForeignText.hold(queue, now: since + 120_000)
                == "held by ann, 2m: 90+ held, by trigger; a part waits")
        #expect(ForeignText.leak(queue) == "; a part waits: sluice pause mail continues")
        queue.hold?.leak = nil
        queue.bounds = []
        queue.estimates = [.held]
        #expect(ForeignText.held(queue) == "~90 held" && ForeignText.leak(queue) == "")
    }
}
