import SluiceModel
import SluiceSystem

struct RQJob {
    /// A payload of more bytes is not read.
    static let payloadLimit: Int64 = 4 << 20
    /// A list reads no call of more bytes, and takes the function from the description.
    static let listedLimit: Int64 = 16 << 10

    let fields: [String: RedisValue]
    /// How many bytes its payload has, where that was not read.
    private let unreadBytes: Int64?

    init(_ fields: [String: RedisValue], unreadBytes: Int64? = nil) {
        self.fields = fields
        self.unreadBytes = unreadBytes
    }

    /// Jobs as they lie, those with a large payload without that.
    static func read(_ ids: [String], _ redis: RedisConnection) throws -> [RQJob] {
        let sizes = try redis.lookAll(ids.map { RedisCommand("HSTRLEN", key($0), "data") })
            .map { $0.integer ?? 0 }
        let answers = try redis.lookAll(
            zip(ids, sizes).map { RedisCommand($1 > payloadLimit ? "HKEYS" : "HGETALL", key($0)) })
        return try zip(zip(ids, sizes), answers).map { job, answer in
            guard job.1 > payloadLimit else { return RQJob(answer.dictionary) }
            let names = answer.array.compactMap(\.bytes).filter { $0 != Array("data".utf8) }
            let values = try redis.lookAll([RedisCommand("HMGET", words: [key(job.0)] + names)])
            let pairs = zip(names, values[0].array).map {
                (String(decoding: $0, as: UTF8.self), $1)
            }
            return RQJob(
                Dictionary(pairs, uniquingKeysWith: { $1 }), unreadBytes: job.1)
        }
    }

    static func key(_ id: [UInt8]) -> [UInt8] { Array("rq:job:".utf8) + id }
    static func key(_ id: String) -> [UInt8] { key(Array(id.utf8)) }
    /// The key of the last attempts.
    static func results(_ id: String) -> [UInt8] { Array("rq:results:\(id)".utf8) }

    private func text(_ name: String) -> String? {
        fields[name]?.text.flatMap { $0.isEmpty ? nil : $0 }
    }

    private func moment(_ name: String) -> Timestamp? { text(name).flatMap(TimeText.rfc3339) }

    /// The display for its status, for a job found by id alone.
    var display: ForeignTask.Display {
        switch text("status") {
        case "queued": .due
        case "started": .running
        case "deferred", "ready": .blocked
        case "scheduled": .delayed
        case "finished": .succeeded
        case "failed", "stopped": .failed
        default: .cancelled
        }
    }

    func task(_ id: String, _ queue: String, _ display: ForeignTask.Display) -> ForeignTask {
        // A description is of the job's own words, or of the call before an edit.
        let call = text("description") ?? ""
        let type = payload.value?["function"]?.string ?? String(call.prefix { $0 != "(" })
        var task = ForeignTask(
            reference: id, queue: queue, type: type.isEmpty ? "?" : type, display: display)
        task.label = call.isEmpty ? nil : call
        task.createdAt = moment("created_at")
        if let most = fields["number_of_retries"]?.integer {
            let left = fields["retries_left"]?.integer ?? most
            task.attemptLimit = Int(clamping: most) + 1
            task.attempts = Int(clamping: most - left) + (display == .failed ? 1 : 0)
        }
        task.error = error
        if display.state != .waiting { task.endedAt = moment("ended_at") }
        if display == .running { task.startedAt = moment("started_at") }
        return task
    }

    /// The last line of its error.
    var error: String? {
        guard let packed = fields["exc_info"]?.bytes, !packed.isEmpty else { return nil }
        return Self.lastLine(String(decoding: Zlib.content(packed) ?? packed, as: UTF8.self))
    }

    /// The line of a traceback with the error.
    static func lastLine(_ text: String) -> String {
        text.split(whereSeparator: \.isNewline).last.map(String.init) ?? text
    }

    /// The whole error of one of its results.
    static func error(ofResult fields: [String: RedisValue]) -> String? {
        guard let packed = fields["exc_string"]?.text.flatMap(Base64.decode),
            let text = Zlib.content(packed)
        else { return nil }
        return String(decoding: text, as: UTF8.self)
    }

    /// The function's name and its arguments.
    var payload: ForeignPayload {
        if let unreadBytes {
            return ForeignPayload(
                bytes: [], format: "not read", value: nil,
                whyFixed: "it has \(unreadBytes) bytes, and \(Self.payloadLimit) at most are read")
        }
        guard let packed = fields["data"]?.bytes else {
            return ForeignPayload(
                bytes: [], format: "none", value: nil, whyFixed: "the job has no data")
        }
        let plain = Zlib.content(packed)
        return CallPayload.read(
            plain ?? packed, packedAs: plain == nil ? "" : " in zlib", bytes: packed)
    }
}

/// A call as Python's queues pack it: a tuple of a name, an instance, arguments and named
/// arguments, pickled or as JSON.
enum CallPayload {
    static func read(_ content: [UInt8], packedAs: String, bytes: [UInt8]) -> ForeignPayload {
        if let json = try? JSONValue.parse(content) {
            return ForeignPayload(
                bytes: bytes, format: "json" + packedAs,
                value: call(json.array) ?? json,
                whyFixed: call(json.array) == nil ? "it is no call" : nil)
        }
        guard let value = PickleReader.value(content) else {
            return ForeignPayload(
                bytes: bytes, format: "unknown" + packedAs, value: nil,
                whyFixed: "it is not JSON or a readable pickle")
        }
        var text = PickleText()
        guard case .tuple(let parts) = value.kind, parts.count == 4,
            case .tuple(let arguments) = parts[2].kind
        else {
            return ForeignPayload(
                bytes: bytes, format: "pickle" + packedAs, value: text.json(value),
                whyFixed: "it is no plain call")
        }
        let values =
            [text.json(parts[0]), text.json(parts[1])]
            + [.array(arguments.map { text.json($0) }), text.json(parts[3])]
        return ForeignPayload(
            bytes: bytes, format: "pickle" + packedAs, value: call(values),
            whyFixed: text.isPlain ? nil : "its pickle holds more than plain values")
    }

    private static func call(_ parts: [JSONValue]?) -> JSONValue? {
        guard let parts, parts.count == 4 else { return nil }
        var object = JSONObject()
        object["function"] = parts[0]
        if !parts[1].isNull { object["instance"] = parts[1] }
        object["args"] = parts[2]
        object["kwargs"] = parts[3]
        return .object(object)
    }

    /// The content for a call that was edited, in the form of the old one.
    static func write(_ value: JSONValue, like old: ForeignPayload) throws -> [UInt8] {
        if let why = old.whyFixed { throw QueueError.notLegal("it cannot be edited: \(why)") }
        let keys = Set(value.object?.keys ?? [])
        guard let arguments = value["args"]?.array, let named = value["kwargs"]?.object,
            case .string = value["function"], keys.subtracting(Self.keys).isEmpty
        else {
            throw QueueError(
                .badValue, "the payload is no call",
                fix: "give {\"function\":…,\"args\":[…],\"kwargs\":{…}} as sluice show has it")
        }
        let parts: [JSONValue] = [
            value["function"] ?? .null, value["instance"] ?? .null, .array(arguments),
            .object(named),
        ]
        let content: [UInt8] =
            old.format.hasPrefix("json")
            ? JSONValue.array(parts).bytes
            : PickleWriter.tuple([
                .json(parts[0]), .json(parts[1]), .tuple(arguments.map { .json($0) }),
                .json(parts[3]),
            ])
        return old.format.hasSuffix("zlib") ? Zlib.packed(content) : content
    }

    private static let keys: Set<String> = ["function", "instance", "args", "kwargs"]
}

/// The clocks of other systems.
enum ForeignTime {
    /// Converts seconds since 1970; `nil` for an invalid number.
    static func moment(seconds: Double) -> Timestamp? {
        guard seconds.isFinite, abs(seconds) < 1e12 else { return nil }
        return Timestamp(milliseconds: Int64(seconds * 1000))
    }
}
