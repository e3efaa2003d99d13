import SluiceModel

/// A message of Taskiq: JSON, in both of its brokers for Redis.
struct TaskiqMessage: ListMessage {
    let bytes: [UInt8]
    private let object: JSONObject
    let id: String

    init?(_ bytes: [UInt8]) {
        guard let object = (try? JSONValue.parse(bytes))?.object,
            let id = object["task_id"]?.string, object["task_name"]?.string != nil,
            object["labels"]?.object != nil, object["args"]?.array != nil,
            object["kwargs"]?.object != nil
        else { return nil }
        (self.bytes, self.object, self.id) = (bytes, object, id)
    }

    func task(in queue: String, _ display: ForeignTask.Display) -> ForeignTask {
        let type = object["task_name"]?.string ?? "?"
        var task = ForeignTask(reference: id, queue: queue, type: type, display: display)
        task.label = "\(type)(\(object["args"]?.text ?? "") \(object["kwargs"]?.text ?? ""))"
        // Its middleware for retries counts in a label.
        if let retries = object["labels"]?["_retries"] {
            let count = retries.integer ?? retries.string.flatMap { Int64($0) }
            task.attempts = count.map { Int(clamping: $0) }
        }
        return task
    }

    var payload: ForeignPayload { PythonCall.payload(object, bytes: bytes) }

    var fields: JSONObject {
        var fields = JSONObject()
        for pair in object.pairs where !["task_id", "args", "kwargs"].contains(pair.key) {
            fields[pair.key] = pair.value
        }
        return fields
    }

    /// The bytes with another call.
    func edited(_ value: JSONValue) throws -> [UInt8] { try PythonCall.edit(object, value) }

    /// The end of a task, as Taskiq's own result backend writes it in the same database; `nil` for
    /// other bytes.
    static func outcome(_ bytes: [UInt8]) -> (outcome: String?, error: String?)? {
        var text = PickleText()
        let result =
            (try? JSONValue.parse(bytes)) ?? PickleReader.value(bytes).map { text.json($0) }
        guard case .bool(let isError)? = result?["is_err"] else { return nil }
        guard isError else { return ("success", nil) }
        let error = result?["error"]
        let words = (error?["exc_message"]?.array ?? []).map { $0.string ?? $0.text }
        let name = error?["exc_type"]?.string ?? "?"
        return ("giveUp", "\(name): \(words.joined(separator: ", "))")
    }
}
