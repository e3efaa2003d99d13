import SluiceControl
import SluiceModel
import SluiceStore
import SluiceSystem
import SluiceTestSupport
import Testing

@testable import SluiceForeignQueues

@Suite("Other systems' queues as a store", .enabled(if: RedisServer.isInstalled))
struct MirrorTests {
    private static let now = Timestamp(milliseconds: 1_769_868_202_000)

    private static func open(_ bench: RQBench) throws -> ForeignStore {
        try ForeignStore.open(
            bench.server.address(), as: nil, keepers: KeeperLauncher { _, _ in })
    }

    @Test("a task whose id changes by an edit keeps its number; a taken number stays")
    func rename() {
        let numbers = ForeignNumbers()
        let names = ["a", "b"].map { ForeignNumbers.Name(system: "rabbitmq", reference: $0) }
        let ids = names.map { numbers.number($0) }
        numbers.rename(ids[0], to: "c")
        #expect(numbers.name(ids[0])?.reference == "c")
        #expect(numbers.number(names[0]) != ids[0])
        numbers.rename(ids[0], to: "b")
        #expect(numbers.name(ids[0])?.reference == "c" && numbers.number(names[1]) == ids[1])
        numbers.rename(99, to: "d")
        #expect(numbers.name(99) == nil)
    }

    @Test("what one look read is a store: rows in their order, each task with its own number")
    func rows() throws {
        let bench = try RQBench()
        let store = try Self.open(bench)
        let numbers = ForeignNumbers()
        try bench.enqueue(["a", "b", "c"])
        func rows() throws -> [String] {
            let look = try store.ask { try $0.look(at: \.first, subject: nil) }
            let mirror = try ForeignMirror(look, numbers: numbers, at: Self.now)
            return try mirror.store.readBlocking { reader in
                try Reading(reader, now: Self.now).list(queue: "mail", limit: 9).map {
                    "\($0.task.id) \(numbers.name($0.task.id)?.reference ?? "?") "
                        + "\($0.display.rawValue)"
                }
            }
        }
        let before = try rows()
        #expect(before == ["1 a next", "2 b due", "3 c due"])
        _ = try bench.system.change("a", .skip, by: "dana")
        try bench.enqueue(["d"])
        let after = try rows()
        #expect(after == ["1 a skipped", "2 b next", "3 c due", "4 d due"])
    }

    @Test("a task runs since it was first seen to, and is not stuck for that")
    func running() throws {
        var look = ForeignLook()
        let queue = ForeignQueue(name: "mail", system: "rq")
        look.queues = [ForeignQueueName.names(of: [queue])[0]: queue]
        let task = ForeignTask(reference: "a", queue: "mail", type: "t", display: .running)
        look.tasks = [ForeignLook.FoundTask(system: "rq", task: task)]
        let numbers = ForeignNumbers()
        func since(at now: Timestamp) throws -> Timestamp? {
            let mirror = try ForeignMirror(look, numbers: numbers, at: now)
            return try mirror.store.readBlocking { reader in
                let line = try Reading(reader, now: now).list(queue: "mail", limit: 9).first
                #expect(line.map(\.display) ?? .running == .running)
                return line?.task.running?.since
            }
        }
        let first = try since(at: Self.now)
        let second = try since(at: Self.now + 90_000_000)
        #expect(first == Self.now && second == Self.now)
        look.tasks = []
        #expect(try since(at: Self.now + 90_000_001) == nil)
        look.tasks = [ForeignLook.FoundTask(system: "rq", task: task)]
        let again = try since(at: Self.now + 90_000_002)
        #expect(again == Self.now + 90_000_002)
    }

    @Test("K6 executions that looks saw end are bars of their worker, and name no success")
    func runs() throws {
        var look = ForeignLook()
        let queue = ForeignQueue(name: "mail", system: "rq")
        look.queues = [ForeignQueueName.names(of: [queue])[0]: queue]
        func running(_ references: [String], of worker: String) {
            var runner = ForeignRunner(name: worker, queues: ["mail"])
            runner.running = references
            look.runners = [("rq", ForeignRunner(name: "idle", queues: ["mail"])), ("rq", runner)]
        }
        func seen(_ reference: String, _ display: ForeignTask.Display) {
            var task = ForeignTask(
                reference: reference, queue: "mail", type: "send", display: display)
            task.error = display == .failed ? "no such address" : nil
            look.tasks = [ForeignLook.FoundTask(system: "rq", task: task)]
        }
        let numbers = ForeignNumbers()
        var runs = ForeignRuns()
        func bars(after seconds: Int64) throws -> [String] {
            let now = Self.now + seconds * 1000
            runs.update(look, numbers: numbers, at: now)
            let mirror = try ForeignMirror(look, numbers: numbers, at: now)
            let seen = runs.attempts(of: look)
            return try mirror.store.readBlocking { reader in
                let timeline = try Reading(reader, now: now).taskTimeline(
                    .workers(last: 600_000), seen: seen)
                return timeline.rows.flatMap { row in
                    row.bars.map { "\(row.key.lane?.process ?? 0) \($0.words ?? "")" }
                }
            }
        }
        look.asksRunners = false
        #expect(try bars(after: 0) == [] && runs.since == nil)
        look.asksRunners = true
        running(["a"], of: "w")
        seen("a", .running)
        #expect(try bars(after: 1) == ["2 runs"] && runs.since == Self.now + 1000)
        running(["b"], of: "w")
        look.tasks = []
        #expect(try bars(after: 4) == ["2 ended after ~3s"])
        running([], of: "w")
        seen("b", .failed)
        let both = ["2 ended after ~3s", "2 failed after ~6s: no such address"]
        #expect(try bars(after: 10) == both)
        // A slot of a worker that has gone is no row.
        running([], of: "other")
        #expect(try bars(after: 11) == [])
        running([], of: "w")
        #expect(try bars(after: 606) == [both[1]])
    }

    @Test("K5 a row says what its task is called with, not once more what is called")
    func about() throws {
        let labels = [
            "mail.send('kim@example.org',)": "'kim@example.org'",
            "mail.send('kim@example.org',) {'subject': 'hello'}":
                "('kim@example.org',) {'subject': 'hello'}",
            "mail.send['kim@example.org']": "['kim@example.org']", "for kim": "for kim",
        ]
        var look = ForeignLook()
        let queue = ForeignQueue(name: "mail", system: "celery")
        look.queues = [ForeignQueueName.names(of: [queue])[0]: queue]
        look.tasks = labels.keys.sorted().map { label in
            var task = ForeignTask(
                reference: label, queue: "mail", type: "mail.send", display: .due)
            task.label = label
            return ForeignLook.FoundTask(system: "celery", task: task)
        }
        let mirror = try ForeignMirror(look, numbers: ForeignNumbers(), at: Self.now)
        let about = try mirror.store.readBlocking { reader in
            let reading = try Reading(reader, now: Self.now)
            let tasks = try reading.list(queue: "mail", limit: 9).map(\.task)
            let found = try reading.about(tasks)
            return tasks.map { found[$0.id] ?? "" }
        }
        #expect(about == labels.keys.sorted().map { labels[$0] })
    }

    @Test("a held task whose time has not come waits for it, and payloads are found where read")
    func times() throws {
        var look = ForeignLook()
        let queue = ForeignQueue(name: "mail", system: "celery")
        look.queues = [ForeignQueueName.names(of: [queue])[0]: queue]
        look.tasks = (0..<3).map { number in
            var task = ForeignTask(
                reference: "t\(number)", queue: "mail", type: "send", display: .held)
            task.attempts = number == 2 ? 1 : 0
            if number > 0 { task.notBefore = Self.now + 90_000 }
            return ForeignLook.FoundTask(system: "celery", task: task)
        }
        let name = ForeignNumbers.Name(system: "celery", reference: "t0")
        look.payloads = [name: Array(#"{"args":["kim"]}"#.utf8)]
        let numbers = ForeignNumbers()
        let mirror = try ForeignMirror(look, numbers: numbers, at: Self.now)
        let (shown, found) = try mirror.store.readBlocking { reader in
            let reading = try Reading(reader, now: Self.now)
            let queue = try reader.requireQueue("mail")
            let filter = try TaskFilter("payload.args[0]=kim")
            let found = try reading.targets(
                in: [queue], sections: [.waiting], matching: filter)
            return (try reading.list(queue: "mail", limit: 9).map(\.display), found)
        }
        #expect(shown == [.next, .delayed, .retrying])
        #expect(found.map(\.id) == [numbers.number(name)])
    }

    @Test(
        "a task is its system's: another one's of the same id has neither its payload nor attempts")
    func sameID() throws {
        var look = ForeignLook()
        let queues = ["rq", "saq"].map { ForeignQueue(name: "mail", system: $0) }
        look.queues = Dictionary(
            uniqueKeysWithValues: zip(ForeignQueueName.names(of: queues), queues).map { ($0, $1) })
        let task = ForeignTask(reference: "7", queue: "mail", type: "send", display: .due)
        look.tasks = ["rq", "saq"].map { ForeignLook.FoundTask(system: $0, task: task) }
        let payload = ForeignPayload(bytes: [1], format: "bytes", value: nil)
        look.detail = ForeignDetail(task: task, payload: payload)
        look.detail?.attempts = [ForeignAttempt(number: 1)]
        look.subject = ForeignNumbers.Name(system: "saq", reference: "7")
        let numbers = ForeignNumbers()
        let mirror = try ForeignMirror(look, numbers: numbers, at: Self.now)
        for system in ["rq", "saq"] {
            let id = numbers.number(ForeignNumbers.Name(system: system, reference: "7"))
            let (payload, attempts) = try mirror.store.readBlocking {
                (try $0.payload(of: id), try $0.attempts(of: id).count)
            }
            #expect(
                payload == (system == "saq" ? [1] : []) && attempts == (system == "saq" ? 1 : 0))
        }
    }

    @Test("a hold is a pause, with who, since when and why")
    func hold() throws {
        let bench = try RQBench()
        try bench.enqueue(["a"])
        let note = HoldNote(by: "dana", since: Self.now, reason: "looking")
        _ = try bench.system.hold("mail", note)
        defer { _ = try? bench.system.release("mail") }
        let look = try Self.open(bench).ask { try $0.look(at: \.first, subject: nil) }
        let mirror = try ForeignMirror(look, numbers: ForeignNumbers(), at: Self.now)
        let record = try mirror.store.readBlocking { try $0.requireQueue("mail") }
        #expect(record.pauses.map(\.by) == ["dana"] && record.pauses[0].since == Self.now)
        #expect(record.pauses[0].reason?.hasPrefix("looking") == true)
    }

    @Test("the task that is looked at has its payload and its attempts, wherever it lies")
    func subject() throws {
        let bench = try RQBench()
        let store = try Self.open(bench)
        let numbers = ForeignNumbers()
        try bench.enqueue(["a"])
        let subject = ForeignNumbers.Name(system: "rq", reference: "a")
        let look = try store.ask { try $0.look(at: { _ in nil }, subject: subject) }
        let mirror = try ForeignMirror(look, numbers: numbers, at: Self.now)
        let payload = try mirror.store.readBlocking {
            try $0.payload(of: numbers.number(subject))
        }
        let value = try JSONValue.parse(try #require(payload))
        #expect(value == look.detail?.payload.value)
        #expect(try JSONValue.parse(value.bytes)["function"] != nil)
    }

    @Test("queues of one name in several systems are told apart, others keep their name")
    func names() {
        let queues = [("mail", "rq"), ("mail", "saq"), ("jobs", "saq")].map {
            ForeignQueue(name: $0, system: $1)
        }
        let shown = ForeignQueueName.names(of: queues).map(\.shown)
        #expect(shown == ["mail (rq)", "mail (saq)", "jobs"])
    }

    @Test("a look is read anew where something changed, another queue is shown or a time has come")
    func still() throws {
        let bench = try RQBench()
        let store = try Self.open(bench)
        try bench.enqueue(["a"])
        let look = try store.ask { try $0.look(at: \.first, subject: nil) }
        func isStill(_ look: ForeignLook, _ name: String? = "mail", at now: Int64 = 1000) throws
            -> Bool
        {
            try store.ask {
                look.isStill(
                    try $0.stamp(), at: { $0.first { $0.name == name } }, subject: nil,
                    since: Self.now, now: Self.now + now)
            }
        }
        #expect(try isStill(look))
        #expect(try !isStill(look, nil))
        var timed = look
        timed.tasks[0].task.notBefore = Self.now + 500
        #expect(try !isStill(timed) && isStill(timed, at: 400))
        try bench.enqueue(["b"])
        #expect(try !isStill(look))
        // First rows do not wait for workers and timers, and are not the last word.
        let first = try store.ask { try $0.look(at: \.first, subject: nil, isFirst: true) }
        #expect(first.runners.isEmpty && first.runnerless == ["rq"] && first.tasks.count == 2)
        #expect(try !isStill(first))
    }
}
