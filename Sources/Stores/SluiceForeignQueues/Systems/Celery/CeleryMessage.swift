import SluiceModel

/// A message of Celery (protocol 2) as kombu packs it: JSON, whose body is again JSON or a pickle.
struct CeleryMessage {
    /// The whole message.
    private(set) var envelope: JSONObject
    private let bytes: [UInt8]

    init?(_ bytes: [UInt8]) {
        guard let object = (try? JSONValue.parse(bytes))?.object, object["headers"]?.object != nil
        else { return nil }
        envelope = object
        self.bytes = bytes
    }

    private var headers: JSONObject { envelope["headers"]?.object ?? [:] }

    /// The id of its task; nil where it has none.
    var id: String? { headers["id"]?.string }

    /// Its task.
    func task(in queue: String, _ display: ForeignTask.Display) -> ForeignTask {
        var task = ForeignTask(
            reference: id ?? "?", queue: queue, type: headers["task"]?.string ?? "?",
            display: display)
        let arguments = headers["argsrepr"]?.string ?? ""
        let named = headers["kwargsrepr"]?.string ?? "{}"
        task.label = task.type + arguments + (named == "{}" ? "" : " \(named)")
        task.attempts = headers["retries"]?.integer.map { Int(clamping: $0) }
        task.priority = envelope["properties"]?["priority"]?.integer
        task.notBefore = headers["eta"]?.string.flatMap(TimeText.rfc3339)
        return task
    }

    private var content: [UInt8]? {
        guard let body = envelope["body"]?.string else { return nil }
        return envelope["properties"]?["body_encoding"]?.string == "base64"
            ? Base64.decode(body) : Array(body.utf8)
    }

    /// What it is called with, and the callbacks that come with it.
    var payload: ForeignPayload {
        let type = envelope["content-type"]?.string ?? "?"
        guard let content else {
            return ForeignPayload(
                bytes: bytes, format: type, value: nil, whyFixed: "its body cannot be read")
        }
        if type == "application/json", let parts = (try? JSONValue.parse(content))?.array,
            parts.count == 3
        {
            let value: JSONValue = ["args": parts[0], "kwargs": parts[1], "embed": parts[2]]
            return ForeignPayload(bytes: content, format: "json in base64", value: value)
        }
        let isPickle = type == "application/x-python-serialize"
        var text = PickleText()
        let value = isPickle ? PickleReader.value(content).map { text.json($0) } : nil
        return ForeignPayload(
            bytes: content, format: type, value: value, whyFixed: "its body is \(type), not JSON")
    }

    /// What its system keeps of it beside the payload.
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
        let embed = value["embed"] ?? old.value?["embed"] ?? .null
        guard let arguments = value["args"], arguments.array != nil, let named = value["kwargs"],
            named.object != nil, embed.object != nil || embed.isNull,
            Set(value.object?.keys ?? []).isSubset(of: ["args", "kwargs", "embed"])
        else {
            throw QueueError(
                .badValue, "the payload is no call of Celery's",
                fix: "give {\"args\":[…],\"kwargs\":{…}} as sluice show has it")
        }
        let body = JSONValue.array([arguments, named, embed]).bytes
        let isPacked = envelope["properties"]?["body_encoding"]?.string == "base64"
        var edited = envelope
        edited["body"] = .string(
            isPacked ? Base64.encode(body) : String(decoding: body, as: UTF8.self))
        return JSONValue.object(edited).bytes
    }
}
