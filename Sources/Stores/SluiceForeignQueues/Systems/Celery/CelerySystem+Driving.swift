import SluiceModel
import SluiceSystem

extension CelerySystem {
    func hold(_ queue: String, _ note: HoldNote) throws -> ForeignAnswer {
        try learn()
        let app = layout.place(of: queue).app
        if let key = layout.unread(of: app).first {
            throw QueueError.notLegal(
                "arrivals would leak: the bindings in \(key) have an unknown form, so that the "
                    + "lists of its priorities are not known",
                fix: "stop its workers, or leave the option sep of its transport away")
        }
        guard queue != CeleryResults.queue || layout.queues[queue] != nil else {
            throw QueueError.notLegal("\(queue) has results alone: no worker takes from it")
        }
        var answer = try holdByGuards(queue, note)
        let name = layout.place(of: queue).name
        let workers = try remote(of: queue).queues().filter { $0.queues.contains(name) }
            .map(\.worker)
        let record = workLists(of: queue)[0].record
        if !workers.isEmpty {
            try redis.call("HSET", record, "workers", JSONValue(workers).text)
            try turn(workers, queue: queue, toSide: true)
        } else {
            answer.consequences.append("no worker answered: the blocking keys alone hold it")
        }
        let taken = try redis.call("HLEN", app.key("unacked")).integer ?? 0
        if taken > 0 {
            answer.consequences.append(
                "\(taken) that workers have taken already, those with an eta among them, run on")
        }
        return answer
    }

    /// Sends workers from a queue to its side list, or back.
    private func turn(_ workers: [String], queue: String, toSide: Bool) throws {
        let (name, side) = names(of: queue)
        let (from, to) = toSide ? (name, side) : (side, name)
        try remote(of: queue).ask("cancel_consumer", ["queue": .string(from)], of: workers)
        try remote(of: queue).ask("add_consumer", ["queue": .string(to)], of: workers)
    }

    /// The workers' names of a queue and its side list, without the key prefix.
    private func names(of queue: String) -> (name: String, side: String) {
        let name = layout.place(of: queue).name
        return (name, CeleryLayout.sidePrefix + name)
    }

    func release(_ queue: String) throws -> ForeignAnswer {
        try learn()
        let remote = remote(of: queue)
        let (name, sideName) = names(of: queue)
        let app = layout.place(of: queue).app
        let record = workLists(of: queue)[0].record
        let kept = try redis.look("HGET", record, "workers").bytes.flatMap {
            try? JSONValue.parse($0)
        }
        var workers = (kept?.array ?? []).compactMap(\.string)
        let now = try remote.queues()
        workers += now.filter { $0.queues.contains(sideName) }.map(\.worker)
        let known = Set(now.map(\.worker))
        workers = Set(workers).intersection(known).sorted()
        // Return stepped tasks that no worker took to the front.
        let workList = workLists(of: queue)[0]
        if !workers.isEmpty {
            try remote.ask("cancel_consumer", ["queue": .string(sideName)], of: workers)
        }
        try redis.call(
            .script(
                """
                while redis.call('LMOVE', KEYS[1], KEYS[2], 'LEFT', 'RIGHT') do end
                return redis.call('DEL', KEYS[3], KEYS[4])
                """,
                keys: [
                    side(of: queue), workList.held,
                    Array(app.key(CeleryLayout.bindings + sideName).utf8),
                    Array(app.key("_kombu.binding_permanent.\(sideName)").utf8),
                ]))
        let answer = try releaseFromGuards(queue)
        if !workers.isEmpty {
            try remote.ask("add_consumer", ["queue": .string(name)], of: workers)
        }
        return answer
    }

    func step(_ queue: String, task: String?, limits: StepLimits) throws -> ForeignStep? {
        if let entry = try task.flatMap(entry) { throw entry.entry.refusal }
        guard let place = try steppable(queue, task) else { return nil }
        guard let task = try tasks([place.element], in: queue, .held).first else { return nil }
        // Remember the result of the last attempt, which remains until the next one ends.
        ending = CeleryEnding(before: try results.bytes(of: task, redis))
        guard try !remote(of: queue).queues().isEmpty else {
            return try stepByGuards(queue, task: task.reference, limits: limits)
        }
        let began = SystemClock.monotonicMilliseconds()
        try awaitSide(queue)
        let side = side(of: queue)
        let answer =
            try redis.pipeline([
                place.workList.releasing(place.element, into: side, at: .left)
            ]).first ?? .none
        if case .refusal = answer {
            throw QueueError.notHeldAnyMore(task)
        }
        let behind = answer.array.last?.bytes
        while try redis.look("LPOS", side, place.element).integer != nil {
            guard SystemClock.monotonicMilliseconds() - began < limits.takeMilliseconds else {
                if try bringBack(place, behind) { throw QueueError.nobodyTook(task) }
                break
            }
            _ = try Poll.wait(fds: [], timeoutMilliseconds: 2)
        }
        if let step = waiting(task, began) { return step }
        var step = try followed(task, began: began, since: 0, limits)
        if step.outcome == nil, let note = ending.note { step.note = note }
        return step
    }

    /// A worker holds a task in its memory until its time comes: nothing ends before that.
    private func waiting(_ task: ForeignTask, _ began: Int64) -> ForeignStep? {
        let now = Timestamp(milliseconds: SystemClock.nowMilliseconds())
        guard let moment = task.notBefore, moment > now else { return nil }
        var step = ForeignStep(
            task: task, outcome: nil, error: nil,
            milliseconds: SystemClock.monotonicMilliseconds() - began)
        step.note = "a worker took it, and begins it at \(TimeText.rfc3339(moment))"
        return step
    }

    private func bringBack(_ place: ListPlace, _ behind: [UInt8]?) throws -> Bool {
        let side = side(of: place.queue)
        let script = """
            if redis.call('LREM', KEYS[1], 1, ARGV[1]) == 0 then return 0 end
            if ARGV[2] == '' or redis.call('LINSERT', KEYS[2], 'AFTER', ARGV[2], ARGV[1]) < 1 then
                redis.call(ARGV[2] == '' and 'LPUSH' or 'RPUSH', KEYS[2], ARGV[1])
            end
            return 1
            """
        return try redis.call(
            .script(
                script, keys: [side, place.workList.held], arguments: [place.element, behind ?? []])
        ).integer == 1
    }

    /// Moves new workers to the side list. They take from the queue, where the guards block before
    /// them.
    private func awaitSide(_ queue: String) throws {
        let all = try remote(of: queue).queues()
        let (name, side) = names(of: queue)
        let wrong = all.filter { $0.queues.contains(name) }.map(\.worker)
        if !wrong.isEmpty { try turn(wrong, queue: queue, toSide: true) }
        guard wrong.isEmpty, !all.contains(where: { $0.queues.contains(side) }) else { return }
        throw QueueError.notLegal(
            "no worker serves \(queue)", fix: "sluice workers shows the workers that answer")
    }

    func end(of task: ForeignTask, since: Int64) throws -> (outcome: String?, error: String?)? {
        if let end = try result(of: task) { return end }
        if ending.deadline == nil {
            let answers = try remote(of: task.queue).ask(
                "query_task", ["ids": [.string(task.reference)]])
            ending.take(
                having: answers.filter { $0.answer.object?.isEmpty == false }.map(\.worker),
                of: answers.map(\.worker))
            guard ending.hasGone else { return nil }
            // The workers answered after this read of the result, so read it again.
            if let end = try result(of: task) { return end }
            // A task that no worker has and none acknowledged will run again.
            if try takenAt(task.reference) != nil {
                guard ending.isLeft(at: instant()) else { return nil }
                ending.note =
                    "no worker has it any more, and it was not acknowledged: \(Self.givenBack)"
                return (nil, nil)
            }
            // One retry after the other may leave the same result: the task is in its queue again
            // then.
            let former = ending.before.flatMap { try? JSONValue.parse($0) }
            if former?["status"]?.string == "RETRY", try detail(task.reference) != nil {
                return ("retry", former?["result"]?["exc_message"]?.text)
            }
            ending.deadline =
                instant() + (try awaitsResult(of: task) ? CeleryEnding.resultMilliseconds : 0)
        }
        guard instant() >= ending.deadline ?? 0 else { return nil }
        if ending.hasLostWorker {
            ending.note =
                "the worker that had it does not answer any more; nothing says how far "
                + "it came"
        }
        return (nil, nil)
    }

    private static let givenBack =
        "Celery gives it back after its visibility timeout, an hour unless its app says otherwise"

    func obstacle(of detail: ForeignDetail) throws -> String? {
        guard detail.task.display == .taken,
            let moment = try takenAt(detail.task.reference)
        else { return nil }
        let since = moment == .unknown ? "taken" : "taken at \(TimeText.rfc3339(moment))"
        let workers = try remote(of: detail.task.queue).ask("ping")
        guard workers.isEmpty else {
            return "\(since): its worker keeps it, or has begun it and not ended it"
        }
        return "\(since); no worker answers; \(Self.givenBack)"
    }

    /// How it ended by its result; nil while that is not there.
    private func result(of task: ForeignTask) throws -> (outcome: String?, error: String?)? {
        guard let bytes = try results.bytes(of: task, redis) else { return nil }
        guard bytes != ending.before, let result = try? JSONValue.parse(bytes) else { return nil }
        switch result["status"]?.string {
        case "SUCCESS": return ("success", nil)
        case "RETRY": return ("retry", result["result"]?["exc_message"]?.text)
        case "FAILURE", "REVOKED":
            let type = result["result"]?["exc_type"]?.string ?? "failure"
            let text = result["result"]?["exc_message"]?.text ?? ""
            return ("giveUp", "\(type)\(text)")
        default: return nil
        }
    }

    /// Whether a result may still arrive: the message wants one, and results are kept.
    ///
    /// The message alone is not enough: it wants a result even if its app stores none.
    private func awaitsResult(of task: ForeignTask) throws -> Bool {
        if seen[task.reference].flatMap({ CeleryMessage($0) })?.ignoresResult == true {
            return false
        }
        return try results.areThere(redis)
    }

    func detail(_ reference: String) throws -> ForeignDetail? {
        for queue in try queues() {
            if let detail = try listed(reference, in: queue.name) { return detail }
        }
        return try detailElsewhere(reference)
    }

    func steps(of change: ForeignChange, on detail: ForeignDetail) throws -> RedisSteps {
        let reference = detail.task.reference
        if let entry = try entry(reference) { return try entry.entry.steps(of: change) }
        guard let place = try place(of: reference, in: detail.task.queue) else {
            throw QueueError.notLegal(
                "task \(reference) waits in the memory of a worker, and in no list",
                fix: "sluice \(ShellWord.command("cancel", reference)) revokes it")
        }
        var steps = RedisChange()
        switch change {
        case .delete: steps.take(place.element, from: place.list)
        case .edit(let value):
            guard let message = CeleryMessage(place.element) else {
                throw QueueError.notLegal("task \(reference) is no message that could be read")
            }
            steps.swap(place.element, for: try message.edited(value), in: place.list)
        default: return try changeOfPlace(place, change)
        }
        return (steps, [])
    }
}

/// The known facts about the end of a stepped task.
struct CeleryEnding {
    /// How long to wait for a result after no worker has the task any more.
    static let resultMilliseconds: Int64 = 1_000
    /// How long to watch an unacknowledged task without a worker: a worker may have just ended it.
    private static let leftMilliseconds: Int64 = 1_000

    /// The result that lay there before.
    var before: [UInt8]?
    /// The deadline for a result; `nil` while a worker may have the task.
    var deadline: Int64?
    /// A note about the end, if the outcome is unknown.
    var note: String?
    /// Whether no worker has it any more. What one has just taken out of the list it knows only at
    /// the next question.
    private(set) var hasGone = false
    /// Whether its worker stopped answering.
    private(set) var hasLostWorker = false
    private var wasAsked = false
    private var owners: Set<String> = []
    private var leftSince: Int64?

    /// Nothing, but the result of before.
    init(before: [UInt8]? = nil) { self.before = before }

    /// Records the workers' answers: `owners` have the task, and `workers` answered.
    mutating func take(having owners: [String], of workers: [String]) {
        hasGone = owners.isEmpty && wasAsked
        wasAsked = true
        self.owners.formUnion(owners)
        hasLostWorker = hasGone && !self.owners.isEmpty && self.owners.isDisjoint(with: workers)
    }

    /// Whether it has been so for long enough that no worker has it and it is kept.
    mutating func isLeft(at moment: Int64) -> Bool {
        let since = leftSince ?? moment
        leftSince = since
        return moment - since >= Self.leftMilliseconds
    }
}
