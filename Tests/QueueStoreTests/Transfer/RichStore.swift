import SluiceModel
import SluiceStore

/// A store that holds something of everything that can travel.
enum RichStore {
    /// Fills queues with different settings, and with tasks in every portable state.
    static func fill(_ store: any QueueStore) throws {
        try store.writeBlocking { writer in
            for (name, preset) in [("mail", "delayed-job"), ("up", "transfer"), ("site", nil)]
                as [(String, String?)]
            {
                var settings = preset.flatMap { QueueSettings.preset(named: $0) }
                settings?.maximumLength = 500
                var queue = QueueRecord(
                    name: name, settings: settings ?? QueueSettings(), createdAt: at(-90))
                if name == "mail" {
                    queue.pauses = [
                        Pause(cause: .person, by: "bob", reason: "looking", since: at(-5))
                    ]
                }
                try writer.put(queue)
            }
            for (place, state) in states.enumerated() { try add(state, place, to: writer) }
            let parent = try writer.requireTask(1)
            var child = task(try writer.reserveTaskIDs(1), "site", .waiting(Waiting()))
            (child.parent, child.depth) = (parent.id, 1)
            try writer.insert([NewTask(task: child, payload: [])])
        }
    }

    private static func add(
        _ state: TaskState, _ place: Int, to writer: any StoreWriter
    ) throws {
        let id = try writer.reserveTaskIDs(1)
        var task = task(id, ["mail", "up"][place % 2], state)
        if place % 2 == 1 { fill(&task, place) }
        let payloads: [[UInt8]] = [
            Array("{\"a\":[1,2.50]}".utf8), Array("{ \"a\" : 1 }".utf8), [0xFF, 0], [],
            Array("\"\\/\"".utf8),
        ]
        try writer.insert([NewTask(task: task, payload: payloads[place % payloads.count])])
        if case .succeeded = state { try writer.setResult(Array("[true]".utf8), of: id) }
        guard task.executions > 0 else { return }
        var attempt = AttemptRecord(task: task, number: 1, runner: 3, startedAt: at(-60))
        (attempt.endedAt, attempt.outcome, attempt.isCounted) = (at(-59), .retry, true)
        (attempt.error, attempt.log, attempt.fraction) = ("no\nnetwork", ["one", "two"], 0.25)
        attempt.consequence = "retry in 1s"
        try writer.put([attempt])
    }

    private static func task(_ id: TaskID, _ queue: String, _ state: TaskState) -> QueueTask {
        var task = QueueTask(
            id: id, queue: queue, type: "type \(id)", position: id * 10, createdAt: at(id - 80),
            state: state)
        if task.waiting != nil { task.freshAt = at(0) }
        return task
    }

    private static func fill(_ task: inout QueueTask, _ number: Int) {
        task.priority = number - 4
        task.sortKey = number % 4 == 1 ? .integer(-7) : .text("k\u{301}\n")
        task.requires = [.network]
        task.isRequired = true
        (task.attempts, task.executions, task.losses) = (2, 5, 3)
        (task.lossesInSuccession, task.offlineInSuccession) = (1, 2)
        task.attemptLimit = 12
        task.expiresAt = at(5000)
        task.uniqueKey = "key:\(number):keep"
        task.session = "s"
        task.clientString = number % 4 == 1 ? "" : ClientString(bytes: [0xFF, 0])
        task.label = "for \"people\""
        task.headers = ["traceparent": "00-1", "x": "ä \"\(number)\""]
        task.lastError = "boom"
        task.depth = 2
    }

    static let states: [TaskState] = {
        var states: [TaskState] = [.waiting(Waiting())]
        for cause in [WaitTimer.Cause.retry, .notBefore] {
            let timer = WaitTimer(until: at(500), cause: cause, since: at(-1))
            states.append(.waiting(Waiting(timer: timer)))
        }
        var skipped = Waiting()
        skipped.skip = Skip(by: "ann", since: at(-2), until: nil, endsWithRun: true)
        var parked = Waiting()
        parked.parking = Parking(cause: .cancelled, detail: "é", since: at(-3))
        states += [.waiting(skipped), .waiting(parked)]
        let failed = TaskState.failed(
            Failure(at: at(-9), reason: "no", startPolicy: .hold))
        states += [failed, .succeeded(Success(at: at(-8), isAcknowledged: true))]
        states.append(
            .deleted(Trash(at: at(-7), by: "cleo", former: failed, startPolicy: .release)))
        return states + states
    }()
}
