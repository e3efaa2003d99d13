import SluiceModel

/// A job of Sidekiq: JSON.
struct SidekiqJob: ListMessage {
    let bytes: [UInt8]
    private let object: JSONObject

    init?(_ bytes: [UInt8]) {
        guard let object = (try? JSONValue.parse(bytes))?.object, object["jid"]?.string != nil
        else { return nil }
        self.bytes = bytes
        self.object = object
    }

    /// Whether it has what Sidekiq's own client gives every job.
    var isWhole: Bool { object["class"]?.string != nil && object["args"]?.array != nil }

    var id: String { object["jid"]?.string ?? "?" }

    var queue: String { object["queue"]?.string ?? "default" }

    private func moment(_ name: String) -> Timestamp? {
        guard let number = object[name]?.double else { return nil }
        // Seconds with a fraction; since version 8 milliseconds.
        return ForeignTime.moment(seconds: number > 100_000_000_000 ? number / 1000 : number)
    }

    func task(in queue: String, _ display: ForeignTask.Display) -> ForeignTask {
        // ActiveJob wraps its own jobs.
        let type = object["wrapped"]?.string ?? object["class"]?.string ?? "?"
        var task = ForeignTask(reference: id, queue: queue, type: type, display: display)
        task.label = "\(type)(\(object["args"]?.text ?? ""))"
        task.createdAt = moment("created_at")
        if object["retried_at"] != nil || object["failed_at"] != nil {
            task.attempts = Int(clamping: (object["retry_count"]?.integer ?? 0) + 1)
        }
        switch object["retry"] {
        case .integer(let count): task.attemptLimit = Int(clamping: count) + 1
        case .bool(let isOn): task.attemptLimit = isOn ? 26 : 1
        default: break
        }
        if display == .failed { task.endedAt = moment("retried_at") ?? moment("failed_at") }
        if let name = object["error_class"]?.string {
            task.error = "\(name): \(object["error_message"]?.string ?? "")"
        }
        return task
    }

    var payload: ForeignPayload {
        ForeignPayload(bytes: bytes, format: "json", value: object["args"])
    }

    /// The backtrace of the last error, if stored.
    private var backtrace: String? {
        guard let packed = object["error_backtrace"]?.string.flatMap(Base64.decode),
            let content = Zlib.content(packed),
            let lines = (try? JSONValue.parse(content))?.array
        else { return nil }
        return lines.compactMap(\.string).joined(separator: "\n")
    }

    var attempt: ForeignAttempt? {
        guard let name = object["error_class"]?.string else { return nil }
        var attempt = ForeignAttempt(number: Int(object["retry_count"]?.integer ?? 0) + 1)
        attempt.endedAt = moment("retried_at") ?? moment("failed_at")
        attempt.outcome = "retry"
        attempt.error =
            "\(name): \(object["error_message"]?.string ?? "")"
            + (backtrace.map { "\n\($0)" } ?? "")
        return attempt
    }

    var fields: JSONObject {
        var fields = JSONObject()
        for pair in object.pairs
        where !["args", "error_backtrace", "jid", "class"].contains(pair.key) {
            fields[pair.key] = pair.value
        }
        return fields
    }

    /// The bytes with other fields; nil takes one away.
    func with(_ changes: [(String, JSONValue?)]) -> [UInt8] {
        var edited = object
        for (name, value) in changes { edited[name] = value }
        return JSONValue.object(edited).bytes
    }

    var retryCount: Int64 { object["retry_count"]?.integer ?? 0 }
}
