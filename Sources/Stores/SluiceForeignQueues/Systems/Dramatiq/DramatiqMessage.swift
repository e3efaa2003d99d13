import SluiceModel

/// A Dramatiq message: JSON in a hash, next to the list of ids.
struct DramatiqMessage {
    let bytes: [UInt8]
    private let object: JSONObject

    init?(_ bytes: [UInt8]) {
        guard let object = (try? JSONValue.parse(bytes))?.object,
            object["actor_name"]?.string != nil
        else { return nil }
        self.bytes = bytes
        self.object = object
    }

    /// The message id, which stays the same in a retry.
    var id: String? { object["message_id"]?.string }

    private var options: JSONObject { object["options"]?.object ?? JSONObject() }

    /// Its due time; nil without a delay.
    var due: Timestamp? {
        options["eta"]?.double.flatMap { ForeignTime.moment(seconds: $0 / 1000) }
    }

    /// The last line of its error.
    var error: String? {
        options["traceback"]?.string?.split(whereSeparator: \.isNewline).last.map(String.init)
    }

    func task(_ reference: String, in queue: String, _ display: ForeignTask.Display)
        -> ForeignTask
    {
        let type = object["actor_name"]?.string ?? "?"
        var task = ForeignTask(reference: reference, queue: queue, type: type, display: display)
        task.label = "\(type)(\(object["args"]?.text ?? "") \(object["kwargs"]?.text ?? ""))"
        task.createdAt = object["message_timestamp"]?.integer.map { Timestamp(milliseconds: $0) }
        task.attempts = options["retries"]?.integer.map { Int(clamping: $0) }
        task.attemptLimit = options["max_retries"]?.integer.map { Int(clamping: $0) + 1 }
        task.error = error
        task.notBefore = display.state == .waiting ? due : nil
        return task
    }

    var payload: ForeignPayload { PythonCall.payload(object, bytes: bytes) }

    /// Its last failure, with the whole traceback.
    var attempt: ForeignAttempt? {
        guard let text = options["traceback"]?.string else { return nil }
        var attempt = ForeignAttempt(number: Int(clamping: options["retries"]?.integer ?? 1))
        attempt.outcome = "retry"
        attempt.error = text
        return attempt
    }

    var fields: JSONObject {
        var fields = JSONObject()
        for pair in object.pairs where !["args", "kwargs", "options"].contains(pair.key) {
            fields[pair.key] = pair.value
        }
        for pair in options.pairs where pair.key != "traceback" { fields[pair.key] = pair.value }
        return fields
    }

    /// The bytes with another call.
    func edited(_ value: JSONValue) throws -> [UInt8] { try PythonCall.edit(object, value) }

    /// The bytes with the name of another queue and other options; nil takes one away.
    func with(queue: String, _ changes: [(String, JSONValue?)]) -> [UInt8] {
        var (edited, options) = (object, options)
        for (name, value) in changes { options[name] = value }
        edited["queue_name"] = .string(queue)
        edited["options"] = .object(options)
        return JSONValue.object(edited).bytes
    }
}
