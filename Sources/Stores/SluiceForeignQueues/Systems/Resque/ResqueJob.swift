import SluiceModel

/// A Resque job: JSON with a class and its arguments, without an id.
struct ResqueJob: ListMessage {
    let bytes: [UInt8]
    private let object: JSONObject

    init?(_ bytes: [UInt8]) {
        guard let object = (try? JSONValue.parse(bytes))?.object,
            object["class"]?.string != nil
        else { return nil }
        self.bytes = bytes
        self.object = object
    }

    /// The job inside an ActiveJob wrapper.
    private var wrapped: JSONValue? { object["args"]?[0] }

    /// ActiveJob's id, or a sum of the bytes: jobs with the same bytes are the same.
    var id: String {
        if let id = wrapped?["job_id"]?.string { return id }
        let sum = bytes.reduce(UInt64(0xcbf2_9ce4_8422_2325)) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01b3
        }
        return "job-" + String(sum, radix: 16)
    }

    func task(in queue: String, _ display: ForeignTask.Display) -> ForeignTask {
        let type = wrapped?["job_class"]?.string ?? object["class"]?.string ?? "?"
        var task = ForeignTask(reference: id, queue: queue, type: type, display: display)
        let arguments = wrapped?["job_class"] == nil ? object["args"] : wrapped?["arguments"]
        task.label = "\(type)(\(arguments?.text ?? ""))"
        return task
    }

    var payload: ForeignPayload {
        ForeignPayload(bytes: bytes, format: "json", value: object["args"])
    }

    var fields: JSONObject {
        var fields = JSONObject()
        for pair in object.pairs where pair.key != "args" { fields[pair.key] = pair.value }
        return fields
    }

    /// The bytes with other arguments.
    func edited(_ value: JSONValue) throws -> [UInt8] {
        guard value.array != nil else {
            throw QueueError(
                .badValue, "the payload is no list", fix: "give the arguments: [1,\"a\"]")
        }
        var edited = object
        edited["args"] = value
        return JSONValue.object(edited).bytes
    }
}

/// The work of one worker, as its key in Redis has it.
struct ResqueWork {
    let worker: String
    let job: ResqueJob?
    let queue: String
    let since: Timestamp?

    var task: ForeignTask? {
        var task = job?.task(in: queue, .running)
        task?.startedAt = since
        return task
    }
}

/// A failure of Resque: JSON around the job.
struct ResqueFailure {
    let bytes: [UInt8]
    let job: ResqueJob
    private let object: JSONValue

    init?(_ bytes: [UInt8]) {
        guard let object = try? JSONValue.parse(bytes),
            let job = object["payload"].flatMap({ ResqueJob($0.bytes) })
        else { return nil }
        self.bytes = bytes
        self.object = object
        self.job = job
    }

    var queue: String { object["queue"]?.string ?? "" }

    var task: ForeignTask {
        var task = job.task(in: queue, .failed)
        let name = object["exception"]?.string ?? "?"
        task.error = "\(name): \(object["error"]?.string ?? "")"
        return task
    }

    var attempt: ForeignAttempt {
        var attempt = ForeignAttempt(number: 1)
        attempt.outcome = "giveUp"
        attempt.runner = object["worker"]?.string
        let lines = (object["backtrace"]?.array ?? []).compactMap(\.string)
        attempt.error = ([task.error ?? ""] + lines).joined(separator: "\n")
        return attempt
    }

    /// When it failed, as it says.
    var moment: String? { object["failed_at"]?.string }
}
