import SluiceModel
import SluicePlatform
import SluiceRedisClient

/// Celery with Redis as its broker: lists of messages, and workers that take orders.
///
/// A hold tells the workers to leave the queue, and guards stand at its lists for those that come
/// later; a step puts the task into a list of its own, from which the workers take.
final class CelerySystem: RedisListSystem {
    static let systemName = "celery"
    let name = CelerySystem.systemName
    let title = "Celery"
    let redis: RedisConnection
    let keepers: KeeperLauncher
    let remote: CeleryRemote
    let seen = SeenElements()
    /// The result that lay there for a task before its step.
    var resultBefore: [UInt8]?

    init(_ redis: RedisConnection, _ keepers: KeeperLauncher) {
        self.redis = redis
        self.keepers = keepers
        remote = CeleryRemote(redis: redis)
    }

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

    func reference(of element: [UInt8]) -> String? { CeleryMessage(element)?.id }

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
        let taken = try unacknowledged().map(\.queue)
        return try glance(at: queueNames()).map { queue, _ in
            var queue = queue
            queue.running = taken.count { $0 == queue.name }
            return queue
        }
    }

    /// What workers have taken and not acknowledged: it runs, or waits in a worker's memory.
    private func unacknowledged() throws -> [ForeignTask] {
        let answer = try redis.look("HSCAN", "unacked", 0, "COUNT", 1000).array
        return (answer.last?.pairs ?? []).prefix(1000).compactMap { _, value in
            guard let parts = value.bytes.flatMap({ try? JSONValue.parse($0) })?.array,
                let message = parts.first.flatMap({ CeleryMessage($0.bytes) })
            else { return nil }
            var task = message.task(in: parts.last?.string ?? "", .running)
            if let moment = task.notBefore, moment.milliseconds > 0 { task.display = .delayed }
            return task
        }
    }

    func page(_ query: ForeignQuery) throws -> ForeignPage {
        var tasks: [ForeignTask] = []
        if query.state == .running || (query.state == nil && query.after == nil) {
            tasks += try unacknowledged().filter { $0.queue == query.queue }
        }
        if query.state == nil || query.state == .waiting {
            var start = 0
            if let after = query.after { start = try offset(after: after, in: query.queue) }
            tasks += try waiting(
                in: query.queue, from: start, limit: max(0, query.limit + 1 - tasks.count))
        }
        return ForeignPage(
            tasks: Array(tasks.prefix(query.limit)), more: tasks.count > query.limit)
    }

    func tasks(
        _ elements: [[UInt8]], in queue: String, _ display: ForeignTask.Display
    ) throws -> [ForeignTask] {
        elements.map { element in
            guard let task = CeleryMessage(element)?.task(in: queue, display) else {
                return ForeignTask(reference: "?", queue: queue, type: "?", display: display)
            }
            seen.keep(element, of: task.reference)
            return task
        }
    }

    func timers(limit: Int) throws -> [ForeignTimer] {
        // They wait in the memory of the workers, which hold their messages.
        try unacknowledged().compactMap { task in
            task.notBefore.map { ForeignTimer(task: task, at: $0) }
        }.sorted { $0.at < $1.at }.prefix(limit).map { $0 }
    }

    func runners() throws -> [ForeignRunner] {
        let active = Dictionary(
            try remote.ask("active").map { ($0.worker, $0.answer) }, uniquingKeysWith: { $1 })
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
            runner.running = (active[worker]?.array ?? []).compactMap { $0["id"]?.string }
            return runner
        }
    }
}
