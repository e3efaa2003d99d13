import SluiceModel
import SluicePlatform
import SluiceRedisClient

extension CelerySystem {
    func hold(_ queue: String, _ note: HoldNote) throws -> ForeignAnswer {
        var answer = try holdByGuards(queue, note)
        let workers = try remote.queues().filter { $0.queues.contains(queue) }.map(\.worker)
        let record = workLists(of: queue)[0].record
        if !workers.isEmpty {
            try redis.call("HSET", record, "workers", JSONValue(workers).text)
            try turn(workers, queue: queue, toSide: true)
        } else {
            answer.consequences.append("no worker answered: the guards alone hold it")
        }
        let taken = try redis.call("HLEN", "unacked").integer ?? 0
        if taken > 0 {
            answer.consequences.append(
                "\(taken) that workers have taken already, those with an eta among them, run on")
        }
        return answer
    }

    /// Sends workers from a queue to its side list, or back.
    private func turn(_ workers: [String], queue: String, toSide: Bool) throws {
        let (from, to) = toSide ? (queue, side(of: queue)) : (side(of: queue), queue)
        try remote.ask("cancel_consumer", ["queue": .string(from)], of: workers)
        try remote.ask("add_consumer", ["queue": .string(to)], of: workers)
    }

    func release(_ queue: String) throws -> ForeignAnswer {
        let record = workLists(of: queue)[0].record
        let kept = try redis.look("HGET", record, "workers").bytes.flatMap {
            try? JSONValue.parse($0)
        }
        var workers = (kept?.array ?? []).compactMap(\.string)
        let now = try remote.queues()
        workers += now.filter { $0.queues.contains(self.side(of: queue)) }.map(\.worker)
        let known = Set(now.map(\.worker))
        workers = Set(workers).intersection(known).sorted()
        // What was let through and not taken goes back to the others first.
        let workList = workLists(of: queue)[0]
        let side = self.side(of: queue)
        if !workers.isEmpty {
            try remote.ask("cancel_consumer", ["queue": .string(side)], of: workers)
        }
        try redis.call(
            .script(
                """
                while redis.call('LMOVE', KEYS[1], KEYS[2], 'LEFT', 'RIGHT') do end
                return redis.call('DEL', KEYS[3], KEYS[4])
                """,
                keys: [
                    Array(side.utf8), workList.held, Array("_kombu.binding.\(side)".utf8),
                    Array("_kombu.binding_permanent.\(side)".utf8),
                ]))
        let answer = try releaseFromGuards(queue)
        if !workers.isEmpty {
            try remote.ask("add_consumer", ["queue": .string(queue)], of: workers)
        }
        return answer
    }

    func step(_ queue: String, task: String?, limits: StepLimits) throws -> ForeignStep? {
        guard let place = try steppable(queue, task) else { return nil }
        guard let task = try tasks([place.element], in: queue, .held).first else { return nil }
        // The result of its last execution lies there until the next one ends.
        ending = CeleryEnding(before: try redis.look("GET", Self.result(of: task)).bytes)
        guard try !remote.queues().isEmpty else {
            return try stepByGuards(queue, task: task.reference, limits: limits)
        }
        let began = SystemClock.monotonicMilliseconds()
        try awaitSide(queue)
        let side = Array(self.side(of: queue).utf8)
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
        return try waiting(task, began)
            ?? followed(task, began: began, since: 0, limits)
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

    private static let results = "celery-task-meta-"

    private static func result(of task: ForeignTask) -> String { results + task.reference }

    private func bringBack(_ place: ListPlace, _ behind: [UInt8]?) throws -> Bool {
        let side = Array(self.side(of: place.queue).utf8)
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

    /// Workers that came later take from the queue, where the guards stand before them: they are
    /// sent to the side list too.
    private func awaitSide(_ queue: String) throws {
        let all = try remote.queues()
        let wrong = all.filter { $0.queues.contains(queue) }.map(\.worker)
        if !wrong.isEmpty { try turn(wrong, queue: queue, toSide: true) }
        guard wrong.isEmpty, !all.contains(where: { $0.queues.contains(side(of: queue)) }) else {
            return
        }
        throw QueueError.notLegal(
            "no worker serves \(queue)", fix: "sluice runners shows the workers that answer")
    }

    func end(of task: ForeignTask, since: Int64) throws -> (outcome: String?, error: String?)? {
        if let end = try result(of: task) { return end }
        if ending.deadline == nil {
            let known = try remote.ask("query_task", ["ids": [.string(task.reference)]])
            ending.take(isMissing: !known.contains { $0.answer.object?.isEmpty == false })
            guard ending.hasGone else { return nil }
            // The workers were asked after the result was.
            if let end = try result(of: task) { return end }
            // One retry after the other may leave the same result: the task is in its queue again
            // then.
            let former = ending.before.flatMap { try? JSONValue.parse($0) }
            if former?["status"]?.string == "RETRY", try detail(task.reference) != nil {
                return ("retry", former?["result"]?["exc_message"]?.text)
            }
            ending.deadline =
                instant() + (try awaitsResult(of: task) ? CeleryEnding.resultMilliseconds : 0)
        }
        return instant() < ending.deadline ?? 0 ? nil : (nil, nil)
    }

    /// How it ended by its result; nil while that is not there.
    private func result(of task: ForeignTask) throws -> (outcome: String?, error: String?)? {
        guard let bytes = try redis.look("GET", Self.result(of: task)).bytes else { return nil }
        hasResults = true
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

    /// Whether its result may still come: its message wants one, and results lie in this database,
    /// of which some are among the first keys where there are many. The message alone does not say:
    /// it wants a result where its app keeps none, too.
    private func awaitsResult(of task: ForeignTask) throws -> Bool {
        if seen[task.reference].flatMap({ CeleryMessage($0) })?.ignoresResult == true {
            return false
        }
        if !hasResults {
            let found = try redis.look("SCAN", 0, "MATCH", "\(Self.results)*", "COUNT", 1000)
            hasResults = found.array.last?.array.isEmpty == false
        }
        return hasResults
    }

    func refusal(of verb: ForeignVerb) -> String? {
        switch verb {
        case .retry: "Celery's broker keeps no task that has failed"
        case .postpone: "Celery's timers are in the memory of its workers"
        case .priority:
            "Celery keeps a priority in the name of the list; sluice move changes the order"
        default: nil
        }
    }

    func detail(_ reference: String) throws -> ForeignDetail? {
        for queue in try queues() {
            if let detail = try listed(reference, in: queue.name) { return detail }
        }
        return try detailInHand(reference)
    }

    func steps(of change: ForeignChange, on detail: ForeignDetail) throws -> RedisSteps {
        let reference = detail.task.reference
        guard let place = try place(of: reference, in: detail.task.queue) else {
            throw QueueError.notLegal("task \(reference) waits in no list")
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

/// What is known of the end of a task that is stepped.
struct CeleryEnding {
    /// How long a result is looked for when no worker has the task any more.
    static let resultMilliseconds: Int64 = 1_000

    /// The result that lay there before.
    var before: [UInt8]?
    /// Until when a result is looked for; nil while a worker may have the task.
    var deadline: Int64?
    /// Whether no worker has it any more. What one has just taken out of the list it knows only at
    /// the next question.
    private(set) var hasGone = false
    private var wasAsked = false

    /// Nothing, but the result of before.
    init(before: [UInt8]? = nil) { self.before = before }

    /// Takes the answer of the workers.
    mutating func take(isMissing: Bool) {
        hasGone = isMissing && wasAsked
        wasAsked = true
    }
}
