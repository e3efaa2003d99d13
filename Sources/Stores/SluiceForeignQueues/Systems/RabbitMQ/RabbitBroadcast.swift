import SluiceModel
import SluiceSystem

/// The remote control of Celery's workers at RabbitMQ, as its own `inspect` and `control` use it: a
/// message to an exchange, and answers that come to a queue.
struct RabbitBroadcast {
    /// How long a worker may take to answer.
    private static let timeoutMilliseconds: Int64 = 2_000
    private static let end = ".pidbox"

    let management: RabbitManagement
    let link: AMQPConnection

    typealias Reply = (worker: String, answer: JSONValue)

    private var vhost: String { management.address.vhost }

    /// The control exchanges of the apps in this virtual host.
    func controls() throws -> [String] {
        let all = try management.get(["exchanges", vhost], query: "?columns=name,type")?.array
        return (all ?? []).filter { $0["type"]?.string == "fanout" }.compactMap {
            $0["name"]?.string
        }
        .filter { $0.hasSuffix(Self.end) && !$0.hasPrefix("reply.") }.sorted()
    }

    /// Asks every worker, or those named, and gives their answers.
    @discardableResult
    func ask(
        _ method: String, _ arguments: JSONObject = [:], of workers: [String]? = nil
    ) throws -> [Reply] {
        if workers?.isEmpty == true { return [] }
        return try controls().flatMap { try ask($0, method, arguments, workers) }
    }

    private func ask(
        _ exchange: String, _ method: String, _ arguments: JSONObject, _ workers: [String]?
    ) throws -> [Reply] {
        let path = ["exchanges", vhost, exchange, "bindings", "source"]
        let heard = try management.get(path)?.array?.count ?? 0
        guard heard > 0 else { return [] }
        defer { try? link.closeChannel() }
        var random = SystemRandom()
        let queue = "\(CeleryRemote.uuid(&random)).reply.\(exchange)"
        let ticket = CeleryRemote.uuid(&random)
        try link.declareExclusive(queue)
        try link.consume(queue, as: "sluice.replies", ahead: 1_000, acknowledges: false)
        let body: JSONValue = [
            "method": .string(method), "arguments": .object(arguments),
            "destination": workers.map { JSONValue($0) } ?? .null, "pattern": .null,
            "matcher": .null, "ticket": .string(ticket),
            "reply_to": ["exchange": "", "routing_key": .string(queue)],
        ]
        try link.publish(
            try AMQPContent(json: body), exchange: exchange, key: "", mandatory: false)
        var found: [Reply] = []
        let deadline = SystemClock.monotonicMilliseconds() + Self.timeoutMilliseconds
        while found.count < min(workers?.count ?? .max, heard) {
            let rest = deadline - SystemClock.monotonicMilliseconds()
            guard rest > 0, let reply = try link.next(within: Int(rest)) else { break }
            guard let properties = try? reply.content.read(),
                properties["headers"]?["ticket"]?.string == ticket,
                let pair = (try? JSONValue.parse(reply.content.body))?.object?.pairs.first
            else { continue }
            found.append((pair.key, pair.value))
        }
        try link.delete(queue, isForced: true)
        return found
    }

    func queues() throws -> [(worker: String, queues: [String])] {
        try ask("active_queues").map { worker, answer in
            (worker, (answer.array ?? []).compactMap { $0["name"]?.string })
        }
    }

    /// Sends the workers that take from a queue to its side queue; gives how many those are.
    @discardableResult
    func turnAside(_ queue: String, among all: [(worker: String, queues: [String])]) throws -> Int {
        let workers = all.filter { $0.queues.contains(queue) }.map(\.worker)
        let side = RabbitPlaces.side(queue)
        try ask(
            "add_consumer",
            ["queue": .string(side), "exchange": "", "routing_key": .string(side)], of: workers)
        try ask("cancel_consumer", ["queue": .string(queue)], of: workers)
        return workers.count
    }
}
