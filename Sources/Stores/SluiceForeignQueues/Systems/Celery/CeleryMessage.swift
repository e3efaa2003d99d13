import SluiceModel

/// A message of Celery (protocol 2) as kombu packs it: JSON, whose body is again JSON or a pickle.
struct CeleryMessage: ListMessage {
    private(set) var envelope: JSONObject
    private let bytes: [UInt8]

    init?(_ bytes: [UInt8]) {
        guard let object = (try? JSONValue.parse(bytes))?.object, object["headers"]?.object != nil
        else { return nil }
        envelope = object
        self.bytes = bytes
    }

    private var headers: JSONObject { envelope["headers"]?.object ?? [:] }

    var ignoresResult: Bool { headers["ignore_result"]?.bool == true }

    /// The id of its task; nil if it has none.
    var ownID: String? { headers["id"]?.string }

    var id: String { ownID ?? "?" }

    func task(in queue: String, _ display: ForeignTask.Display) -> ForeignTask {
        var task = ForeignTask(
            reference: id, queue: queue, type: headers["task"]?.string ?? "?",
            display: display)
        let arguments = headers["argsrepr"]?.string ?? ""
        let named = headers["kwargsrepr"]?.string ?? "{}"
        task.label = task.type + arguments + (named == "{}" ? "" : " \(named)")
        task.attempts = headers["retries"]?.integer.map { Int(clamping: $0) }
        task.priority = envelope["properties"]?["priority"]?.integer
        task.notBefore = headers["eta"]?.string.flatMap(TimeText.rfc3339)
        return task
    }

    /// A running task as its worker reports it. After an early acknowledgement, no key in Redis has
    /// the task. `queue` maps an exchange and a routing key to a queue.
    static func running(
        _ told: JSONValue, queue: (_ exchange: String, _ key: String) -> String
    ) -> ForeignDetail? {
        guard let id = told["id"]?.string else { return nil }
        let way = told["delivery_info"]
        var task = ForeignTask(
            reference: id,
            queue: queue(way?["exchange"]?.string ?? "", way?["routing_key"]?.string ?? ""),
            type: told["name"]?.string ?? "?", display: .running)
        // Celery 3 reports the time since its machine started.
        task.startedAt = told["time_start"]?.double.flatMap { seconds in
            seconds > 1_000_000_000 ? ForeignTime.moment(seconds: seconds) : nil
        }
        let (arguments, named) = (told["args"]?.array ?? [], told["kwargs"]?.object ?? [:])
        task.label =
            task.type + PythonText.arguments(arguments, asList: false)
            + (named.pairs.isEmpty ? "" : " \(PythonText.named(named))")
        let value: JSONValue = ["args": .array(arguments), "kwargs": .object(named)]
        return ForeignDetail(
            task: task,
            payload: ForeignPayload(
                bytes: value.bytes, format: "json", value: value, whyFixed: "a worker runs it"))
    }

    private var content: [UInt8]? {
        guard let body = envelope["body"]?.string else { return nil }
        return envelope["properties"]?["body_encoding"]?.string == "base64"
            ? Base64.decode(body) : Array(body.utf8)
    }

    /// The compression of the body; `nil` if it has none.
    private var compression: String? { headers["compression"]?.string }

    /// The arguments, and the callbacks of the message.
    var payload: ForeignPayload {
        let type = envelope["content-type"]?.string ?? "?"
        guard let content else {
            return ForeignPayload(
                bytes: bytes, format: type, value: nil, whyFixed: "its body cannot be read")
        }
        let unpacked = compression == nil ? content : Zlib.content(content)
        let value = unpacked.flatMap { Self.value($0, type) }
        let parts = value?.array
        let call: JSONValue? = parts.flatMap { parts in
            parts.count == 3 ? ["args": parts[0], "kwargs": parts[1], "embed": parts[2]] : nil
        }
        if let compression {
            return ForeignPayload(
                bytes: content, format: "\(type) in \(compression)", value: call ?? value,
                whyFixed: "its body is packed by \(compression)")
        }
        if type == Self.json, let call {
            return ForeignPayload(bytes: content, format: "json in base64", value: call)
        }
        return ForeignPayload(
            bytes: content, format: type, value: call ?? value,
            whyFixed: "its body is \(type), not JSON")
    }

    private static let json = "application/json"

    /// A body as data, of the kinds that Celery writes but YAML.
    private static func value(_ bytes: [UInt8], _ type: String) -> JSONValue? {
        switch type {
        case json: return try? JSONValue.parse(bytes)
        case "application/x-msgpack": return MessagePackReader.value(bytes)
        case "application/protobuf", "application/x-protobuf": return ProtobufReader.value(bytes)
        case "application/x-python-serialize":
            var text = PickleText()
            return PickleReader.value(bytes).map { text.json($0) }
        default: return nil
        }
    }

    /// Additional headers, without the payload.
    var fields: JSONObject {
        var fields = JSONObject()
        for pair in headers.pairs where !pair.value.isNull && pair.key != "stack" {
            fields[pair.key] = .string(pair.value.string ?? pair.value.text)
        }
        return fields
    }

    /// The bytes of the message with another call; its delivery tag, its encoding and all else
    /// stay.
    func edited(_ value: JSONValue) throws -> [UInt8] {
        let old = payload
        if let why = old.whyFixed { throw QueueError.notLegal("it cannot be edited: \(why)") }
        let call = try Self.call(value, old.value)
        let body = JSONValue.array([.array(call.arguments), .object(call.named), call.embed]).bytes
        let isPacked = envelope["properties"]?["body_encoding"]?.string == "base64"
        var (edited, headers) = (envelope, headers)
        edited["body"] = .string(
            isPacked ? Base64.encode(body) : String(decoding: body, as: UTF8.self))
        for (name, text) in Self.reprs(of: headers, call.arguments, call.named) {
            headers[name] = .string(text)
        }
        edited["headers"] = .object(headers)
        return JSONValue.object(edited).bytes
    }

    /// The call in an edited payload, with the callbacks of the old one if it names none.
    static func call(
        _ value: JSONValue, _ old: JSONValue?
    ) throws -> (arguments: [JSONValue], named: JSONObject, embed: JSONValue) {
        let embed = value["embed"] ?? old?["embed"] ?? .null
        guard let arguments = value["args"]?.array, let named = value["kwargs"]?.object,
            embed.object != nil || embed.isNull,
            Set(value.object?.keys ?? []).isSubset(of: ["args", "kwargs", "embed"])
        else {
            throw QueueError(
                .badValue, "the payload is no call of Celery's",
                fix: "give {\"args\":[…],\"kwargs\":{…}} as sluice show has it")
        }
        return (arguments, named, embed)
    }

    /// The headers that show a call to its workers and its own tools, if it had them.
    static func reprs(
        of headers: JSONObject, _ arguments: [JSONValue], _ named: JSONObject
    ) -> [(name: String, text: String)] {
        var reprs: [(String, String)] = []
        if let old = headers["argsrepr"]?.string {
            reprs.append(
                ("argsrepr", PythonText.arguments(arguments, asList: old.hasPrefix("["))))
        }
        if headers["kwargsrepr"]?.string != nil {
            reprs.append(("kwargsrepr", PythonText.named(named)))
        }
        return reprs
    }
}
