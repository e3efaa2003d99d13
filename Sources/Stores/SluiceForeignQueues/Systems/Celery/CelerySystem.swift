import SluiceModel
import SluicePlatform
import SluiceRedisClient

/// Celery with Redis as its broker: lists of messages, and workers that take orders.
///
/// A hold tells the workers to leave the queue, and guards stand at its lists for those that come
/// later; a step puts the task into a list of its own, from which the workers take.
final class CelerySystem: MessageListSystem {
    typealias Message = CeleryMessage
    static let systemName = "celery"
    let title = "Celery"
    let desk: RedisDesk
    /// What is known of the end of the task that is stepped.
    var ending = CeleryEnding()
    /// Whether results were seen to lie in this database.
    var hasResults = false
    /// A clock that only goes on.
    var instant: () -> Int64 = SystemClock.monotonicMilliseconds
    /// What the workers said last that they run.
    private var active: [String: ForeignDetail] = [:]

    init(_ desk: RedisDesk) { self.desk = desk }

    var remote: CeleryRemote { CeleryRemote(redis: redis) }

    private static let bindings = "_kombu.binding."
    private static let sidePrefix = "sluice-step."

    static let shapes = [KeySurvey.Shape(bindings)]

    static let probes = [
        RedisCommand(
            "EXISTS", words: ["celery", "celery.pidbox"].map { Array((bindings + $0).utf8) })
    ]

    static func isKnown(by answers: [RedisValue]) -> Bool { answers[0].integer != 0 }

    /// Of an app with queues of its own whose workers are all gone, their bindings are left.
    static func isSeen(_ redis: RedisConnection) throws -> Bool {
        try !bindingKeys(redis).isEmpty
    }

    let risks = ["a task whose expires passes meanwhile is revoked by its worker"]

    func workLists(of queue: String) -> [WorkList] {
        ["", "3", "6", "9"].map { step in
            WorkList(step.isEmpty ? queue : "\(queue)\u{6}\u{16}\(step)", takes: .right)
        }
    }

    /// The list from which workers take what is stepped.
    func side(of queue: String) -> String { Self.sidePrefix + queue }

    func reference(of element: [UInt8]) -> String? { CeleryMessage(element)?.ownID }

    private static func bindingKeys(_ redis: RedisConnection) throws -> Set<String> {
        try redis.names(shapes, type: "set") { $0 }
    }

    /// The names of the queues, out of the bindings of their exchanges.
    private func queueNames() throws -> [String] {
        var found: Set<String> = []
        var exchanges = try Self.bindingKeys(redis)
        exchanges.insert("\(Self.bindings)celery")
        let own = exchanges.filter { key in
            let name = key.dropFirst(Self.bindings.count)
            return !name.hasSuffix("pidbox") && !name.hasPrefix("celeryev")
                && !name.hasPrefix(Self.sidePrefix)
        }
        for answer in try redis.lookAll(own.sorted().map { RedisCommand("SMEMBERS", $0) }) {
            for member in answer.array.compactMap(\.text) {
                // The routing key, a pattern and the queue.
                let parts = member.split(separator: "\u{6}\u{16}", omittingEmptySubsequences: false)
                if let queue = parts.last, parts.count == 3 { found.insert(String(queue)) }
            }
        }
        return found.filter { !$0.hasPrefix(Self.sidePrefix) }.sorted()
    }

    func queues() throws -> [ForeignQueue] {
        let inHand = try inHand()
        return try glance(at: queueNames()).map { queue, _ in
            var queue = queue
            for task in inHand where task.queue == queue.name { queue.add(1, task.display) }
            return queue
        }
    }

    /// What workers have: what they said last that they run, and what they have not acknowledged.
    /// A worker acknowledges most tasks when it begins them, and some when they have ended.
    private func inHand() throws -> [ForeignTask] {
        let now = Timestamp(milliseconds: SystemClock.nowMilliseconds())
        let answer = try redis.look("HSCAN", "unacked", 0, "COUNT", 1000).array
        let taken = (answer.last?.pairs ?? []).prefix(1000).compactMap { _, value -> ForeignTask? in
            guard let parts = value.bytes.flatMap({ try? JSONValue.parse($0) })?.array,
                let element = parts.first?.bytes, let message = CeleryMessage(element)
            else { return nil }
            var task = message.task(in: parts.last?.string ?? "", .taken)
            guard active[task.reference] == nil else { return nil }
            if let moment = task.notBefore, moment > now { task.display = .delayed }
            seen.keep(element, of: task.reference)
            return task
        }
        return active.values.map(\.task).sorted { $0.reference < $1.reference } + taken
    }

    /// All of what a worker has; nil where none is known to have it.
    func detailInHand(_ reference: String) throws -> ForeignDetail? {
        if let detail = active[reference] { return detail }
        guard let task = try inHand().first(where: { $0.reference == reference }) else {
            return nil
        }
        return seen[reference].flatMap { detail(task, in: $0) }
    }

    func unlisted(_ state: TaskState.Name, of queue: String, limit: Int) throws -> [ForeignTask] {
        try state == .running ? inHand().filter { $0.queue == queue } : []
    }

    func timers(limit: Int) throws -> [ForeignTimer] {
        // They wait in the memory of the workers, which hold their messages.
        ForeignTimer.first(limit, of: try inHand().filter { $0.display == .delayed })
    }

    func runners() throws -> [ForeignRunner] {
        let told = Dictionary(
            try remote.ask("active").map { ($0.worker, $0.answer) }, uniquingKeysWith: { $1 })
        active = [:]
        let stats = Dictionary(
            try remote.ask("stats").map { ($0.worker, $0.answer) }, uniquingKeysWith: { $1 })
        return try remote.queues().map { worker, queues in
            // The side list of a held queue stands for that.
            let served = queues.map { queue in
                queue.hasPrefix(Self.sidePrefix)
                    ? String(queue.dropFirst(Self.sidePrefix.count)) : queue
            }
            var runner = ForeignRunner(name: worker, queues: served)
            runner.host = worker.split(separator: "@").last.map(String.init)
            runner.processID = stats[worker]?["pid"]?.integer
            runner.slots = stats[worker]?["pool"]?["max-concurrency"]?.integer.map(Int.init)
            let running = (told[worker]?.array ?? []).compactMap(CeleryMessage.running)
            for detail in running { active[detail.task.reference] = detail }
            runner.tasks = running.map(\.task)
            runner.running = runner.tasks.map(\.reference)
            return runner
        }
    }
}
