import SluiceModel
import SluiceSystem

/// The results of finished tasks in a database, from Celery's Redis backend: that of the queues,
/// or the one that the address names in `results`.
///
/// A result with a final state does not change any more, so it is read only once.
final class CeleryResults {
    static let mark = "celery-task-meta-"
    static let shape = KeySurvey.Shape("", holding: mark)
    /// The maximum number of results to read.
    static let limit = 2_000
    /// The queue name for failures with a result that names no queue.
    static let queue = "celery-task-meta"

    struct Ended {
        var detail: ForeignDetail
        /// The routing key of its message; nil where its result is not an extended one.
        var route: String?
    }

    private var known: [ExactText: Ended] = [:]
    private(set) var hasMore = false
    private(set) var isUsed = false
    private let place: RedisAddress?
    private var other: RedisConnection?

    /// The results in another database; `nil` for that of the queues.
    init(_ place: RedisAddress?) { self.place = place }

    /// The connection to the results; the argument leads to the queues.
    private func redis(_ queues: RedisConnection) throws -> RedisConnection {
        guard let place else { return queues }
        if let other { return other }
        let other = try RedisConnection(place)
        other.keys.watch([Self.shape])
        self.other = other
        return other
    }

    /// Changes with every change of the other database, if any; `nil` if the server hides it.
    func stamp(_ queues: String?) throws -> String? {
        guard let queues, let other else { return queues }
        return try other.stamp().map { "\(queues) \($0)" }
    }

    func bytes(of task: ForeignTask, _ queues: RedisConnection) throws -> [UInt8]? {
        let found = try redis(queues).look("GET", Self.mark + task.reference).bytes
        if found != nil { isUsed = true }
        return found
    }

    /// The tasks among some that have ended.
    func ended(_ references: [String], _ queues: RedisConnection) throws -> [String] {
        let answers = try redis(queues).lookAll(
            references.map { RedisCommand("GET", Self.mark + $0) })
        return zip(references, answers).compactMap { reference, answer in
            answer.bytes.flatMap(Self.ended) == nil ? nil : reference
        }
    }

    /// Whether the database has results, among the first keys of a scan.
    func areThere(_ queues: RedisConnection) throws -> Bool {
        if !isUsed {
            let found = try redis(queues).look("SCAN", 0, "MATCH", "\(Self.mark)*", "COUNT", 1000)
            isUsed = found.array.last?.array.isEmpty == false
        }
        return isUsed
    }

    /// The tasks that have ended, by the keys of their results.
    func read(_ queues: RedisConnection) throws -> [Ended] {
        let redis = try redis(queues)
        let names = try redis.names([Self.shape]) { $0 }
        hasMore = names.count > Self.limit
        if !names.isEmpty { isUsed = true }
        let kept = Set(texts: names.prefix(Self.limit))
        known = known.filter { kept.contains($0.key) }
        let new = kept.texts.filter { known[$0] == nil }
        let answers = try redis.lookAll(new.map { RedisCommand("GET", $0) })
        for (name, answer) in zip(new, answers) {
            if let bytes = answer.bytes, let ended = Self.ended(bytes) { known[name] = ended }
        }
        return names.prefix(Self.limit).compactMap { known[$0] }
    }

    private static func display(_ status: String?) -> ForeignTask.Display? {
        switch status {
        case "SUCCESS": .succeeded
        case "FAILURE": .failed
        case "REVOKED": .cancelled
        default: nil
        }
    }

    private static func ended(_ bytes: [UInt8]) -> Ended? {
        guard let told = try? JSONValue.parse(bytes), let id = told["task_id"]?.string,
            let display = display(told["status"]?.string)
        else { return nil }
        var task = ForeignTask(
            reference: id, queue: "", type: told["name"]?.string ?? "?", display: display)
        if told["name"] != nil {
            task.label =
                task.type + PythonText.arguments(told["args"]?.array ?? [], asList: false)
            task.attempts = (told["retries"]?.integer).map { Int(clamping: $0 + 1) }
        }
        if display == .failed { task.error = error(told["result"]) }
        task.endedAt = told["date_done"]?.string.flatMap(TimeText.rfc3339)
        let call: JSONValue? =
            told["args"]?.array == nil
            ? nil : ["args": told["args"] ?? .null, "kwargs": told["kwargs"] ?? .null]
        var detail = ForeignDetail(
            task: task,
            payload: ForeignPayload(
                bytes: call?.bytes ?? [], format: call == nil ? "none" : "json", value: call,
                whyFixed: "it has ended; its result alone is kept"))
        var attempt = ForeignAttempt(number: task.attempts ?? 1)
        attempt.endedAt = task.endedAt
        attempt.outcome = display == .failed ? "giveUp" : display == .succeeded ? "success" : nil
        attempt.error = told["traceback"]?.string ?? task.error
        attempt.runner = told["worker"]?.string
        detail.attempts = [attempt]
        for name in ["status", "date_done", "worker", "queue", "parent_id"] {
            if let text = told[name]?.string { detail.fields[name] = .string(text) }
        }
        return Ended(detail: detail, route: told["queue"]?.string)
    }

    /// `ValueError: no such order: 17`.
    private static func error(_ result: JSONValue?) -> String {
        let type = result?["exc_type"]?.string ?? "failure"
        let message = result?["exc_message"]
        let words = message?.array?.map { $0.string ?? $0.text } ?? [message?.string ?? ""]
        return "\(type): \(words.joined(separator: ", "))"
    }
}
