import SluiceModel
import SluiceSystem

/// Celery with Redis as its broker: lists of messages, and workers that accept control messages.
///
/// A hold asks the workers to leave the queue, and guards catch messages for workers that start
/// later. A step moves the task to a side list and sends the workers there. Transport options
/// determine an app's keys; Sluice derives them from the existing keys.
final class CelerySystem: MessageListSystem {
    typealias Message = CeleryMessage
    static let systemName = "celery"
    let title = "Celery"
    let session: RedisSession
    /// The known facts about the end of the stepped task.
    var ending = CeleryEnding()
    /// A monotonic clock in milliseconds.
    var instant: () -> Int64 = SystemClock.monotonicMilliseconds
    /// The running tasks in the workers' last answer; `nil` before the first one.
    private var active: [ExactText: ForeignDetail]?
    /// Whether this is a first, fast read, which does not ask the workers.
    private var isHurried = false
    private var lastLayout: CeleryLayout?
    let results: CeleryResults

    init(_ session: RedisSession) {
        self.session = session
        results = CeleryResults(session.redis.address.results)
    }

    func stamp() throws -> String? { try results.stamp(try redis.stamp()) }

    private static let bindingShape = KeySurvey.Shape("", holding: CeleryLayout.bindings)

    static let shapes = [bindingShape, CeleryResults.shape]

    static let probes = [
        RedisCommand(
            "EXISTS",
            words: ["celery", "celery.pidbox"].map { Array((CeleryLayout.bindings + $0).utf8) })
    ]

    static func isKnown(by answers: [RedisValue]) -> Bool { answers[0].integer != 0 }

    /// The bindings of an app remain even after all its workers have ended.
    static func isSeen(_ redis: RedisConnection) throws -> Bool {
        try !bindingKeys(redis).isEmpty
    }

    let risks = ["a held task whose expires passes is revoked by its worker"]

    /// Messages have priorities 0 to 9, and a list exists for each configured step. These ten lists
    /// cover every configuration.
    func workLists(of queue: String) -> [WorkList] {
        let separator = layout.place(of: queue).app.separator
        return (0...9).map { priority in
            WorkList(
                priority == 0 ? queue : "\(queue)\(separator)\(priority)", takes: .right,
                isRare: ![0, 3, 6, 9].contains(priority))
        }
    }

    /// The side list of a queue. Workers take stepped tasks from it.
    func side(of queue: String) -> [UInt8] {
        let place = layout.place(of: queue)
        return Array(place.app.key(CeleryLayout.sidePrefix + place.name).utf8)
    }

    func reference(of element: [UInt8]) -> String? { CeleryMessage(element)?.ownID }

    private static func bindingKeys(_ redis: RedisConnection) throws -> [String] {
        try redis.names([bindingShape], type: "set") { $0 }
    }

    /// The last known queues and their apps. A hold reads them again. If the read fails here, the
    /// next command reports the error.
    var layout: CeleryLayout {
        if lastLayout == nil { try? learn() }
        return lastLayout ?? CeleryLayout([])
    }

    func learn() throws {
        let usual = "\(CeleryLayout.bindings)celery"
        let all = [usual] + (try Self.bindingKeys(redis)).filter { $0 != usual }
        let answers = try redis.lookAll(all.map { RedisCommand("SMEMBERS", $0) })
        lastLayout = CeleryLayout(
            zip(all, answers).map { ($0, $1.array.compactMap(\.text).sorted()) })
    }

    func queues() throws -> [ForeignQueue] {
        isHurried = false
        return try counted()
    }

    func queuesSoon() throws -> [ForeignQueue] {
        isHurried = true
        return try counted()
    }

    private func counted() throws -> [ForeignQueue] {
        try learn()
        let inFlight = try inFlight()
        let ended = isHurried ? [] : try ended()
        var found = try glance(at: layout.queues.texts).map(\.queue)
        if ended.contains(where: { $0.task.queue == CeleryResults.queue }) {
            found.append(ForeignQueue(name: CeleryResults.queue, system: name))
        }
        let entries = try entries()
        for (_, queue) in entries where !found.contains(where: { $0.name.isSame(as: queue) }) {
            found.append(ForeignQueue(name: queue, system: name))
        }
        return found.map { queue in
            var queue = queue
            for (entry, name) in entries where name.isSame(as: queue.name) {
                queue.add(1, entry.isEnabled ? .delayed : .skipped)
            }
            for task in inFlight where task.queue.isSame(as: queue.name) {
                queue.add(1, task.display)
            }
            for one in ended where one.task.queue.isSame(as: queue.name) {
                queue.add(1, one.task.display)
            }
            if results.hasMore { queue.bounds.formUnion([.succeeded, .failed]) }
            return queue
        }
    }

    /// Finished tasks with a result, in their queues if known.
    private func ended() throws -> [ForeignDetail] {
        let names = layout.queues.texts
        return try results.read(redis).map { one in
            var detail = one.detail
            let routed = names.filter { name in
                one.route.map { layout.queues[name]?.name == $0 } ?? (names.count == 1)
            }
            detail.task.queue = routed.count == 1 ? routed[0] : CeleryResults.queue
            return detail
        }
    }

    /// The workers' tasks: running ones from their last answer, and unacknowledged ones. A worker
    /// acknowledges most tasks before it runs them, and some afterwards.
    private func inFlight() throws -> [ForeignTask] {
        if active == nil, !isHurried { try askActive() }
        // The answer may be seconds old.
        var active = active ?? [:]
        for ended in try results.ended(active.keys.map(\.text), redis) { active[ended] = nil }
        let taken = try unacknowledged().map(\.task).filter { active[$0.reference] == nil }
        return active.values.map(\.task).sorted { $0.reference < $1.reference } + taken
    }

    /// The maximum number of messages to read for each app.
    private static let unackedLimit = 1_000

    /// The unacknowledged messages, each with its tag.
    private func unacknowledged() throws -> [(tag: [UInt8], app: CeleryApp, task: ForeignTask)] {
        let now = Timestamp(milliseconds: SystemClock.nowMilliseconds())
        let apps = layout.apps
        let answers = try redis.lookAll(
            apps.map {
                RedisCommand("HSCAN", $0.key("unacked"), 0, "COUNT", Self.unackedLimit)
            })
        return zip(apps, answers).flatMap { app, answer in
            (answer.array.last?.pairs ?? []).prefix(Self.unackedLimit).compactMap { tag, value in
                guard let parts = value.bytes.flatMap({ try? JSONValue.parse($0) })?.array,
                    let element = parts.first?.bytes, let message = CeleryMessage(element)
                else { return nil }
                let queue = layout.queue(
                    app, exchange: parts.count > 2 ? parts[1].string ?? "" : "",
                    key: parts.last?.string ?? "")
                var task = message.task(in: queue, .taken)
                if let moment = task.notBefore, moment > now { task.display = .delayed }
                seen.keep(element, of: task.reference)
                return (tag, app, task)
            }
        }
    }

    /// When a worker took a task that it has not acknowledged; nil if none has.
    func takenAt(_ reference: String) throws -> Timestamp? {
        guard
            let one = try unacknowledged().first(where: { $0.task.reference.isSame(as: reference) })
        else { return nil }
        let score = try redis.look("ZSCORE", one.app.key("unacked_index"), one.tag).text
        return score.flatMap { Double($0) }.flatMap(ForeignTime.moment(seconds:)) ?? .unknown
    }

    /// The details of a running or finished task; `nil` for other tasks.
    func detailElsewhere(_ reference: String) throws -> ForeignDetail? {
        if let task = try inFlight().first(where: { $0.reference.isSame(as: reference) }) {
            return active?[reference] ?? seen[reference].flatMap { detail(task, in: $0) }
        }
        if let entry = try entry(reference) { return entry.entry.detail(in: entry.queue) }
        return try ended().first { $0.task.reference.isSame(as: reference) }
    }

    func unlisted(_ state: TaskState.Name, of queue: String, limit: Int) throws -> [ForeignTask] {
        func shown() throws -> [ForeignTask] {
            try inFlight().filter { $0.queue.isSame(as: queue) && $0.display.state == state }
        }
        return switch state {
        case .running: try shown()
        case .failed, .succeeded, .deleted:
            try ended().map(\.task).filter {
                $0.queue.isSame(as: queue) && $0.display.state == state
            }
        case .waiting:
            try entries().filter { $0.queue.isSame(as: queue) }.map { $0.entry.task(in: queue) }
                + shown()
        }
    }

    func timers(limit: Int) throws -> [ForeignTimer] {
        // Messages with a time wait in the memory of the workers, which hold them.
        ForeignTimer.first(
            limit,
            of: try inFlight().filter { $0.display == .delayed }
                + entries().map { $0.entry.task(in: $0.queue) })
    }

    /// A task with a time is in its list until a worker fetches it.
    func listedTimers(limit: Int) throws -> [ForeignTimer] { try timersInLists(limit: limit) }

    /// Asks the workers of all apps for their running tasks.
    private func askActive() throws {
        var found: [ExactText: ForeignDetail] = [:]
        for app in layout.apps {
            for (_, answer) in try remote(app).ask("active") {
                for detail in running(answer, of: app) { found[detail.task.reference] = detail }
            }
        }
        active = found
    }

    private func running(_ told: JSONValue, of app: CeleryApp) -> [ForeignDetail] {
        (told.array ?? []).compactMap { told in
            CeleryMessage.running(told) { layout.queue(app, exchange: $0, key: $1) }
        }
    }

    func remote(_ app: CeleryApp) -> CeleryRemote { CeleryRemote(redis: redis, app: app) }

    /// The remote control of the workers of a queue.
    func remote(of queue: String) -> CeleryRemote { remote(layout.place(of: queue).app) }

    func runners() throws -> [ForeignRunner] {
        try learn()
        var found: [ExactText: ForeignDetail] = [:]
        let all = try layout.apps.flatMap { app in
            try runners(of: app) { found[$0.task.reference] = $0 }
        }
        active = found
        return all
    }

    private static func byWorker(_ answers: CeleryRemote.Answers) -> [String: JSONValue] {
        Dictionary(answers.map { ($0.worker, $0.answer) }, uniquingKeysWith: { $1 })
    }

    private func runners(
        of app: CeleryApp, _ take: (ForeignDetail) -> Void
    ) throws -> [ForeignRunner] {
        let answers = try remote(app).ask(["active", "stats", "active_queues"])
        let (told, stats) = (Self.byWorker(answers[0]), Self.byWorker(answers[1]))
        return CeleryRemote.queues(answers[2]).map { worker, queues in
            // Show the queue of a side list.
            let side = CeleryLayout.sidePrefix
            let served = queues.map { queue in
                app.prefix
                    + (queue.hasPrefix(side) ? String(queue.dropFirst(side.count)) : queue)
            }
            var runner = ForeignRunner(name: worker, queues: served)
            runner.host = worker.split(separator: "@").last.map(String.init)
            runner.processID = stats[worker]?["pid"]?.integer
            runner.slots = stats[worker]?["pool"]?["max-concurrency"]?.integer.map(Int.init)
            let running = running(told[worker] ?? .null, of: app)
            running.forEach(take)
            runner.tasks = running.map(\.task)
            runner.running = runner.tasks.map(\.reference)
            return runner
        }
    }
}

extension CelerySystem {
    /// Asks the worker with a task to end it, as `celery control terminate` does. Addresses only
    /// that worker, so that no other worker revokes a task that it does not have.
    func cancel(_ reference: String) throws -> ForeignAnswer {
        if let entry = try entry(reference) { throw entry.entry.refusal }
        // Only the workers know of most running tasks.
        if try detail(reference) == nil { _ = try runners() }
        let detail = try require(reference)
        try check(.cancel, on: detail.task)
        let id = detail.task.reference
        let own = ForeignRefusal.filled(rules.ownStop ?? "", id)
        let known = try remote(of: detail.task.queue).ask("query_task", ["ids": [.string(id)]])
        guard !known.isEmpty else {
            throw QueueError.notLegal(
                "no worker of Celery answers, so none can be told to stop task \(id)",
                fix: "\(own) reaches a worker that is slow to answer")
        }
        let owners = known.filter { $0.answer[id] != nil }.map(\.worker)
        guard !owners.isEmpty else {
            throw QueueError(
                .changed, "no worker of Celery has task \(id) any more",
                fix: "look at it again and repeat the verb")
        }
        let answers = try remote(of: detail.task.queue).ask(
            "revoke",
            ["task_id": .string(id), "terminate": true, "signal": "SIGTERM"], of: owners)
        guard let answer = answers.first else {
            throw QueueError(
                .changed, "the worker \(owners[0]) did not answer whether it stops task \(id)",
                fix: "look at it again, or: \(own)")
        }
        if let error = answer.answer["error"]?.string {
            throw QueueError.notLegal(
                "the worker \(answer.worker) cannot stop task \(id): \(error)",
                fix: "end that worker")
        }
        return ForeignAnswer(
            changed: [id],
            consequences: ["the worker \(answer.worker) ends it; Celery calls it revoked"])
    }
}
