import SluiceModel

/// A job of Laravel in Redis: JSON with the job in PHP's `serialize` format.
struct LaravelJob: ListMessage {
    let bytes: [UInt8]
    private let object: JSONObject
    let id: String

    init?(_ bytes: [UInt8]) {
        guard let object = (try? JSONValue.parse(bytes))?.object, object["job"]?.string != nil,
            object["data"] != nil, object["attempts"]?.integer != nil,
            let id = object["uuid"]?.string ?? object["id"]?.string
        else { return nil }
        (self.bytes, self.object, self.id) = (bytes, object, id)
    }

    /// The number of starts. A worker counts when it takes the job.
    var attempts: Int { Int(clamping: object["attempts"]?.integer ?? 0) }

    private var content: RowContent {
        LaravelPayload(String(decoding: bytes, as: UTF8.self)).content
    }

    func task(in queue: String, _ display: ForeignTask.Display) -> ForeignTask {
        let content = content
        let again = display == .delayed && attempts > 0
        var task = ForeignTask(
            reference: id, queue: queue, type: content.type, display: again ? .retrying : display)
        task.label = content.label
        task.attempts = attempts
        task.attemptLimit = content.attemptLimit
        // Horizon and newer versions write when it came.
        let seconds =
            object["pushedAt"]?.string.flatMap { Double($0) }
            ?? object["createdAt"]?.double
        task.createdAt = seconds.flatMap(ForeignTime.moment(seconds:))
        return task
    }

    var payload: ForeignPayload { content.payload }

    var fields: JSONObject {
        var fields = JSONObject()
        for name in ["id", "uuid", "maxTries", "backoff", "timeout", "tags", "pushedAt"] {
            if let value = object[name], !value.isNull { fields[name] = value }
        }
        return fields
    }

    /// The bytes with other values. The names of the job and its command stay as they are.
    func edited(_ new: JSONValue) throws -> [UInt8] {
        let text = try LaravelPayload(String(decoding: bytes, as: UTF8.self)).edited(new)
        guard let edited = LaravelJob(Array(text.utf8)), edited.id == id,
            new["id"] == object["id"]
        else {
            throw QueueError(
                .badValue, "the payload is not that of the same job",
                fix: "leave job, data, attempts, id and uuid as sluice show has them")
        }
        return edited.bytes
    }

    /// The bytes with a new count of starts.
    func with(attempts: Int64) -> [UInt8] {
        var edited = object
        edited["attempts"] = .integer(attempts)
        return JSONValue.object(edited).bytes
    }
}
