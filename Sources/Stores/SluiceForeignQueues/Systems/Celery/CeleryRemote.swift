import SluiceModel
import SluiceSystem

/// The remote control of Celery's workers, as its own `inspect` and `control` use it: a broadcast,
/// and answers that come to a list.
struct CeleryRemote {
    /// How long a worker may take to answer.
    private static let timeoutMilliseconds: Int64 = 2_000

    let redis: RedisConnection
    var app = CeleryApp()

    private var exchange: String { "\(app.control).pidbox" }
    private var replyExchange: String { "reply.\(exchange)" }

    /// The possible channels of its workers: the `fanout_prefix` option can remove the database
    /// from the name. Workers with another prefix are not found.
    private var channels: [String] {
        [app.key("/\(redis.address.database).\(exchange)"), app.key(exchange)]
    }

    typealias Answers = [(worker: String, answer: JSONValue)]

    /// A broadcast without its answers so far.
    private struct Question {
        var binding: String
        var member: String
        var queue: String
        var ticket: String
        /// The number of answers that may come.
        var wanted: Int
        var deadline: Int64
    }

    /// Asks every worker, or those named, and gives their answers by their names.
    @discardableResult
    func ask(
        _ method: String, _ arguments: JSONObject = [:], of workers: [String]? = nil
    ) throws -> Answers {
        try answers(to: send(method, arguments, to: workers))
    }

    /// Asks every worker several things at the same time, so that all answers take as long as one.
    func ask(_ methods: [String]) throws -> [Answers] {
        try methods.map { try send($0, [:], to: nil) }.map(answers)
    }

    private func send(
        _ method: String, _ arguments: JSONObject, to workers: [String]?
    ) throws -> Question {
        var random = SystemRandom()
        let id = Self.uuid(&random)
        let (queue, ticket) = ("\(id).\(replyExchange)", Self.uuid(&random))
        let binding = app.key(CeleryLayout.bindings + replyExchange)
        let member = [id, "", queue].joined(separator: app.separator)
        try redis.call("SADD", binding, member)
        let body: JSONValue = [
            "method": .string(method), "arguments": .object(arguments),
            "destination": workers.map { JSONValue($0) } ?? .null, "pattern": .null,
            "matcher": .null, "ticket": .string(ticket),
            "reply_to": ["exchange": .string(replyExchange), "routing_key": .string(id)],
        ]
        // The server says how many heard it.
        let message = envelope(body, Self.uuid(&random)).bytes
        var heard = 0
        for channel in channels where heard == 0 {
            heard = Int(try redis.call("PUBLISH", channel, message).integer ?? 0)
        }
        return Question(
            binding: binding, member: member, queue: app.key(queue), ticket: ticket,
            wanted: min(workers?.count ?? .max, heard),
            deadline: SystemClock.monotonicMilliseconds() + Self.timeoutMilliseconds)
    }

    private func answers(to question: Question) throws -> Answers {
        let answers = try collect(question)
        _ = try redis.pipeline([
            RedisCommand("SREM", question.binding, question.member),
            RedisCommand("DEL", question.queue),
        ])
        return answers
    }

    private func envelope(_ body: JSONValue, _ tag: String) -> JSONValue {
        [
            "body": .string(Base64.encode(body.bytes)), "content-encoding": "utf-8",
            "content-type": "application/json", "headers": ["clock": 1, "expires": 0],
            "properties": [
                "delivery_mode": 2, "priority": 0, "body_encoding": "base64",
                "delivery_tag": .string(tag),
                "delivery_info": ["exchange": .string(exchange), "routing_key": ""],
            ],
        ]
    }

    private func collect(_ question: Question) throws -> Answers {
        var found: Answers = []
        while found.count < question.wanted,
            SystemClock.monotonicMilliseconds() < question.deadline
        {
            let answer = try redis.call("BRPOP", question.queue, "0.5")
            guard let bytes = answer.array.last?.bytes, let message = try? JSONValue.parse(bytes),
                message["headers"]?["ticket"]?.string == question.ticket,
                let body = message["body"]?.string.flatMap(Base64.decode),
                let pair = (try? JSONValue.parse(body))?.object?.pairs.first
            else { continue }
            found.append((pair.key, pair.value))
        }
        return found
    }

    static func uuid(_ random: inout SystemRandom) -> String {
        let digits = (0..<2).map { _ in
            let part = String(random.next(), radix: 16)
            return String(repeating: "0", count: 16 - part.utf8.count) + part
        }.joined()
        let all = Array(digits)
        return [all[0..<8], all[8..<12], all[12..<16], all[16..<20], all[20..<32]]
            .map { String($0) }.joined(separator: "-")
    }

    func queues() throws -> [(worker: String, queues: [String])] {
        Self.queues(try ask("active_queues"))
    }

    static func queues(_ answers: Answers) -> [(worker: String, queues: [String])] {
        answers.map { worker, answer in
            (worker, (answer.array ?? []).compactMap { $0["name"]?.string })
        }
    }
}
