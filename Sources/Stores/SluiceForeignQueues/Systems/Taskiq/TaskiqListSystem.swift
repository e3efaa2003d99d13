import SluiceModel
import SluiceSystem

/// Taskiq's `ListQueueBroker`: a list of messages for each queue.
final class TaskiqListSystem: MessageListSystem {
    typealias Message = TaskiqMessage
    static let systemName = "taskiq"
    let title = "Taskiq on lists"
    let session: RedisSession

    init(_ session: RedisSession) { self.session = session }

    /// The queue of an app that chooses no name.
    static let defaultQueue = "taskiq"
    static let named = KeySurvey.Shape("", holding: defaultQueue)
    private static let holds = KeySurvey.Shape("", end: ":sluice:hold")
    static let shapes = [named, holds]
    static let probes = [RedisCommand("TYPE", defaultQueue)]

    static func isKnown(by answers: [RedisValue]) -> Bool { answers[0].text == "list" }

    /// Detects queues with the system's name in theirs, and held queues. Any other name needs
    /// `--as`: a list of JSON has no other sign.
    static func isSeen(_ redis: RedisConnection) throws -> Bool {
        let names = try redis.names([named], type: "list") { $0 }
        return try !queues(among: names, redis).isEmpty || !held(systemName, redis).isEmpty
    }

    /// The held queues of a system, by the records of their holds.
    static func held(_ system: String, _ redis: RedisConnection) throws -> [String] {
        let records = try redis.names([holds]) { $0 }
        let answers = try redis.lookAll(
            records.map { RedisCommand("HMGET", $0, "system", "queue") })
        return answers.compactMap { answer in
            answer.array.first?.text == system ? answer.array.last?.text : nil
        }
    }

    /// The maximum number of lists to inspect for messages.
    private static let listLimit = 1000
    private static let anyName = KeySurvey.Shape("")

    /// The names of those lists whose next element is a message; lists of Sluice count for theirs.
    private static func queues(among lists: [String], _ redis: RedisConnection) throws -> [String] {
        let lists = Array(lists.prefix(listLimit))
        let heads = try redis.lookAll(lists.map { RedisCommand("LINDEX", $0, -1) })
        let owners = zip(lists, heads).compactMap { list, head in
            head.bytes.flatMap { TaskiqMessage($0) }.map { _ in WorkList.owner(of: list) ?? list }
        }
        // A queue on a stream has skipped tasks in a list too.
        let types = try redis.lookAll(owners.map { RedisCommand("TYPE", $0) })
        return zip(owners, types).filter { $1.text != "stream" }.map(\.0)
    }

    private func queueNames() throws -> [String] {
        let lists = try redis.lists.names(Self.anyName, in: redis)
            .map { String(decoding: $0, as: UTF8.self) }.sorted()
        return try (Self.queues(among: lists, redis) + Self.held(name, redis)).distinctNames
    }

    let listsEmptyQueues = false
    let risks: [String] = []

    func workLists(of queue: String) -> [WorkList] { [WorkList(queue, takes: .right)] }

    func queues() throws -> [ForeignQueue] { try glance(at: queueNames()).map(\.queue) }

    /// Its delays are in the memory, or in the sources of its scheduler.
    func timers(limit: Int) throws -> [ForeignTimer] { [] }

    /// Taskiq keeps no list of its workers.
    func runners() throws -> [ForeignRunner] { [] }

    let listsRunners = false

    func detail(_ reference: String) throws -> ForeignDetail? {
        for queue in try queueNames() {
            if let detail = try listed(reference, in: queue) { return detail }
        }
        return nil
    }

    func step(_ queue: String, task: String?, limits: StepLimits) throws -> ForeignStep? {
        // A task leaves nothing without a result backend in the same database.
        try stepByGuards(queue, task: task, limits: limits.ending(within: 1_000))
    }

    func end(of task: ForeignTask, since: Int64) throws -> (outcome: String?, error: String?)? {
        let held = workLists(of: task.queue)[0].held
        let last = try redis.look("LRANGE", held, 0, 49).array.compactMap(\.bytes)
        let isAgain = last.contains { TaskiqMessage($0)?.id.isSame(as: task.reference) == true }
        if isAgain { return ("retry", nil) }
        return try redis.look("GET", task.reference).bytes.flatMap { TaskiqMessage.outcome($0) }
    }

    func steps(of change: ForeignChange, on detail: ForeignDetail) throws -> RedisSteps {
        guard let place = try place(of: detail.task.reference, in: detail.task.queue),
            let message = TaskiqMessage(place.element)
        else {
            throw QueueError.notLegal("a worker has task \(detail.task.reference), or it has ended")
        }
        var steps = RedisChange()
        switch change {
        case .delete: steps.take(place.element, from: place.list)
        case .edit(let value):
            steps.swap(place.element, for: try message.edited(value), in: place.list)
        default: return try changeOfPlace(place, change)
        }
        return (steps, [])
    }
}
