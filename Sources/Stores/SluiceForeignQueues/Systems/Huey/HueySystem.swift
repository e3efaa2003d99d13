import SluiceModel
import SluiceSystem

/// huey with its store in Redis: a list of pickled messages for each queue.
final class HueySystem: MessageListSystem {
    typealias Message = HueyMessage
    static let systemName = HueyFile.systemName
    let title = "huey"
    let session: RedisSession

    init(_ session: RedisSession) { self.session = session }

    static let shapes = [KeySurvey.Shape("huey."), KeySurvey.Shape("{huey.")]

    static func isSeen(_ redis: RedisConnection) throws -> Bool {
        try !queueNames(redis).isEmpty
    }

    private static let kinds = ["redis", "schedule", "results", "counters", "r"]

    /// The queue names in huey's keys, and in Sluice's keys for held tasks.
    private static func queueNames(_ redis: RedisConnection) throws -> [String] {
        try redis.names(shapes) { key in
            let own = key.hasPrefix("{") ? key.dropFirst().prefix { $0 != "}" } : key[...]
            let parts = own.split(separator: ".", maxSplits: 2)
            guard parts.count == 3, parts[0] == "huey", kinds.contains(String(parts[1])) else {
                return nil
            }
            // Only expiring results have separate keys.
            return String(parts[1] == "r" ? parts[2].prefix { $0 != "." } : parts[2])
        }.sorted()
    }

    let listsEmptyQueues = false
    let risks = ["a held task whose expires passes is given up"]

    static func list(_ queue: String) -> String { "huey.redis.\(queue)" }
    static func schedule(_ queue: String) -> [UInt8] { Array("huey.schedule.\(queue)".utf8) }

    func workLists(of queue: String) -> [WorkList] { [WorkList(Self.list(queue), takes: .right)] }

    /// An element may be compressed, so the cheap test is not possible.
    func mayBe(_ reference: String, _ element: [UInt8]) -> Bool { true }

    func queues() throws -> [ForeignQueue] {
        try glance(at: Self.queueNames(redis)) { queue in
            [
                RedisCommand("ZCARD", Self.schedule(queue)),
                RedisCommand("ZCARD", Self.list(queue)),
            ]
        }.map { queue, answers in
            var queue = queue
            let failed = try failed(queue.name)
            queue.add(failed.tasks.count, .failed, isBound: !failed.isAll)
            let (timed, ranked) = (Int(answers[0].integer ?? 0), Int(answers[1].integer ?? 0))
            guard timed + ranked <= Self.countLimit else {
                queue.delayed += timed
                queue.waiting += ranked
                return queue
            }
            // Some of them are revoked, or have a time.
            for task in try unlisted(.waiting, of: queue.name, limit: timed + ranked) {
                queue.add(1, task.display)
            }
            return queue
        }
    }

    /// The tasks of a queue that wait for a time.
    private func scheduled(_ queue: String, limit: Int) throws -> [(bytes: [UInt8], ForeignTask)] {
        guard limit > 0 else { return [] }
        return try redis.look("ZRANGE", Self.schedule(queue), 0, limit - 1, "WITHSCORES").pairs
            .compactMap { bytes, score in
                guard let message = HueyMessage(bytes) else { return nil }
                seen.keep(bytes, of: message.id)
                var task = message.task(in: queue, .delayed)
                task.notBefore = score.text.flatMap { Double($0) }
                    .flatMap(ForeignTime.moment(seconds:))
                return (bytes, task)
            }
    }

    /// The maximum number of schedule members to search for one task.
    private static let scheduleLimit = 10_000

    func timed(
        _ reference: String, in queue: String
    ) throws -> (bytes: [UInt8], task: ForeignTask)? {
        try scheduled(queue, limit: Self.scheduleLimit).first {
            $0.1.reference.isSame(as: reference)
        }
        .map { ($0.bytes, $0.1) }
    }

    func unlisted(_ state: TaskState.Name, of queue: String, limit: Int) throws -> [ForeignTask] {
        if state == .failed { return try Array(failed(queue).tasks.prefix(limit)) }
        guard state == .waiting else { return [] }
        guard limit > 0 else { return [] }
        let listed = try byPriority(queue, limit: limit).map(\.task)
        let timed = try scheduled(queue, limit: limit - listed.count).map(\.1)
        return try marked(listed + timed, in: queue)
    }

    /// Marks revoked tasks as blocked. They keep their place until their consumer drops them.
    func marked(_ tasks: [ForeignTask], in queue: String) throws -> [ForeignTask] {
        let revoked = try revocations(of: tasks, in: queue)
        return zip(tasks, revoked).map { task, text in
            var task = task
            if text != nil, task.display.state == .waiting, task.display != .skipped {
                task.display = .blocked
            }
            return task
        }
    }

    /// The stored revocations of tasks, single ones and those by kind, in both of huey's formats
    /// for results.
    private func revocations(of tasks: [ForeignTask], in queue: String) throws -> [String?] {
        let now = Timestamp(milliseconds: SystemClock.nowMilliseconds())
        let names = tasks.map { task in
            ["r:\(task.reference)"]
                + (seen[task.reference].flatMap { HueyMessage($0) }.map { ["rt:\($0.name)"] } ?? [])
        }
        let answers = try redis.lookAll(
            names.joined().flatMap { name in
                [
                    RedisCommand("HGET", "huey.results.\(queue)", name),
                    RedisCommand("GET", "huey.r.\(queue).\(name)"),
                ]
            }
        ).map(\.bytes)
        var place = 0
        return names.map { own in
            let found = answers[place..<(place + 2 * own.count)].compactMap { $0 }
            place += 2 * own.count
            return found.lazy.compactMap { HueyMessage.revocation($0, at: now) }.first
        }
    }

    func obstacle(of detail: ForeignDetail) throws -> String? {
        guard detail.task.display.state == .waiting else { return nil }
        return try revocations(of: [detail.task], in: detail.task.queue)[0]
    }

    /// The waiting tasks of a queue with priorities: a sorted set with members that begin with an
    /// eight-byte timestamp.
    private func byPriority(
        _ queue: String, limit: Int
    ) throws -> [(bytes: [UInt8], task: ForeignTask)] {
        var found = try redis.look("ZRANGE", Self.list(queue), 0, limit - 1).array
            .compactMap(\.bytes).map { Array($0.dropFirst(8)) }
            .compactMap { bytes -> (bytes: [UInt8], task: ForeignTask)? in
                guard let message = HueyMessage(bytes) else { return nil }
                seen.keep(bytes, of: message.id)
                var task = message.task(in: queue, .due)
                task.showTime(at: Timestamp(milliseconds: SystemClock.nowMilliseconds()))
                return (bytes, task)
            }
        if let next = found.firstIndex(where: { $0.task.display == .due }) {
            found[next].task.display = .next
        }
        return found
    }

    func ranked(
        _ reference: String, in queue: String
    ) throws -> (bytes: [UInt8], task: ForeignTask)? {
        try byPriority(queue, limit: Self.scheduleLimit).first {
            $0.task.reference.isSame(as: reference)
        }
    }

    func timers(limit: Int) throws -> [ForeignTimer] {
        let all = try Self.queueNames(redis).flatMap { try scheduled($0, limit: limit).map(\.1) }
        return ForeignTimer.first(limit, of: all)
    }

    /// A task with a time is in its list until a consumer looks at it.
    func listedTimers(limit: Int) throws -> [ForeignTimer] {
        let ranked = try Self.queueNames(redis).flatMap { try byPriority($0, limit: limit) }
        let delayed = ranked.map(\.task).filter { $0.display == .delayed }
        return try timersInLists(limit: limit) + ForeignTimer.first(limit, of: delayed)
    }

    /// huey keeps no list of its consumers.
    func runners() throws -> [ForeignRunner] { [] }

    let listsRunners = false

    func hold(_ queue: String, _ note: HoldNote) throws -> ForeignAnswer {
        guard try redis.call("TYPE", Self.list(queue)).text != "zset" else {
            throw QueueError.notLegal(
                "arrivals would leak: \(queue) has priorities, so it is a sorted set, from "
                    + "which new tasks cannot be caught",
                fix: "stop its consumers, or use a RedisHuey without priorities")
        }
        return try holdByGuards(queue, note)
    }

    func step(_ queue: String, task: String?, limits: StepLimits) throws -> ForeignStep? {
        // A task that gives no result leaves nothing.
        guard var step = try stepByGuards(queue, task: task, limits: limits.ending(within: 1_000))
        else { return nil }
        let isTimed = try timed(step.task.reference, in: queue) != nil
        if let fate = HueyMessage.fate(of: step.task, isInSchedule: isTimed) {
            (step.outcome, step.error, step.note) = (nil, nil, fate)
        }
        return step
    }

    func end(of task: ForeignTask, since: Int64) throws -> (outcome: String?, error: String?)? {
        let answers = try redis.pipeline([
            RedisCommand("HGET", "huey.results.\(task.queue)", task.reference),
            RedisCommand("GET", "huey.r.\(task.queue).\(task.reference)"),
        ])
        if let bytes = answers.compactMap(\.bytes).first { return HueyMessage.outcome(bytes) }
        // A retry is at the end of the held list, or in the schedule.
        let held = workLists(of: task.queue)[0].held
        let last = try redis.look("LRANGE", held, 0, 49).array.compactMap(\.bytes)
        let comes = last.contains { HueyMessage($0)?.id.isSame(as: task.reference) == true }
        let isAgain = try comes || timed(task.reference, in: task.queue) != nil
        return isAgain ? ("retry", nil) : nil
    }
}

extension HueySystem {
    func detail(_ reference: String) throws -> ForeignDetail? {
        let queues = try queues().map(\.name)
        for queue in queues {
            if let detail = try listed(reference, in: queue) { return detail }
            if let found = try timed(reference, in: queue) ?? ranked(reference, in: queue) {
                let task = try marked([found.task], in: queue).first ?? found.task
                return HueyMessage(found.bytes)?.detail(task)
            }
        }
        for queue in queues {
            if let detail = try failure(reference, in: queue) { return detail }
        }
        return nil
    }

    func steps(of change: ForeignChange, on detail: ForeignDetail) throws -> RedisSteps {
        let (reference, queue) = (detail.task.reference, detail.task.queue)
        if let place = try place(of: reference, in: queue) { return try inList(place, change) }
        guard let found = try timed(reference, in: queue) else {
            throw QueueError.notLegal(
                "task \(reference) waits in no list: a queue with priorities is shown, and is not "
                    + "changed")
        }
        return (try inSchedule(found.bytes, detail.task, change), [])
    }

    private func edited(_ bytes: [UInt8], _ value: JSONValue) throws -> [UInt8] {
        guard let message = HueyMessage(bytes) else {
            throw QueueError.notLegal("it is no message that could be read")
        }
        return try message.edited(value)
    }

    private func postponed(_ bytes: [UInt8], _ moment: Timestamp) throws -> [UInt8] {
        try HueyMessage(bytes)?.postponed(to: moment) ?? bytes
    }

    private func inList(
        _ place: ListPlace, _ change: ForeignChange
    ) throws -> RedisSteps {
        var steps = RedisChange()
        switch change {
        case .delete: steps.take(place.element, from: place.list)
        case .edit(let value):
            steps.swap(place.element, for: try edited(place.element, value), in: place.list)
        case .postpone(let moment):
            steps.take(place.element, from: place.list)
            steps.putMember(
                try postponed(place.element, moment), into: Self.schedule(place.queue),
                score: Double(moment.milliseconds) / 1000)
            return (steps, ["a consumer with a scheduler brings it back"])
        default:
            return try changeOfPlace(place, change)
        }
        return (steps, [])
    }

    private func inSchedule(
        _ bytes: [UInt8], _ task: ForeignTask, _ change: ForeignChange
    ) throws -> RedisChange {
        let key = Self.schedule(task.queue)
        var steps = RedisChange()
        switch change {
        case .delete: steps.removeMember(bytes, from: key)
        case .postpone(let moment):
            steps.removeMember(bytes, from: key)
            steps.putMember(
                try postponed(bytes, moment), into: key, score: Double(moment.milliseconds) / 1000)
        case .edit(let value):
            steps.removeMember(bytes, from: key)
            let score = Double(task.notBefore?.milliseconds ?? 0) / 1000
            steps.putMember(try edited(bytes, value), into: key, score: score)
        default:
            throw QueueError.notLegal(
                "task \(task.reference) waits for its time, and is changed when that has come",
                fix: "sluice postpone gives it another time")
        }
        return steps
    }
}
