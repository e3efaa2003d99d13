import SluiceModel

/// A message of huey: a pickle of a named tuple, perhaps packed, perhaps signed.
struct HueyMessage: ListMessage {
    private static let names = [
        "id", "name", "eta", "retries", "retry_delay", "priority", "args", "kwargs",
        "on_complete", "on_error", "expires", "expires_resolved", "timeout", "chord_config",
        "retry_backoff",
    ]
    private let bytes: [UInt8]
    private let isPacked: Bool
    private let values: [PickleValue]

    /// Reads one; nil for what is none, or is signed in front.
    init?(_ bytes: [UInt8]) {
        let content = Inflate.content(bytes)
        guard let value = PickleReader.value(content ?? bytes),
            case .call(let callable, let arguments, _) = value.kind,
            case .global(let type) = callable.kind, type == "huey.registry.Message",
            case .tuple(let values) = arguments.kind, values.count >= 8
        else { return nil }
        self.bytes = bytes
        self.values = values
        isPacked = content != nil
    }

    private func json(_ name: String) -> JSONValue {
        guard let index = Self.names.firstIndex(of: name), index < values.count else {
            return .null
        }
        var text = PickleText()
        return text.json(values[index])
    }

    /// The id of its task.
    var id: String { json("id").string ?? "?" }

    /// Its task.
    func task(in queue: String, _ display: ForeignTask.Display) -> ForeignTask {
        let name = json("name").string ?? "?"
        // A name is a module and `queuecmd_` or the name of a class.
        let type = name.split(separator: ".").last.map(String.init) ?? name
        var task = ForeignTask(reference: id, queue: queue, type: type, display: display)
        task.label = "\(type)(\(json("args").text) \(json("kwargs").text))"
        task.priority = json("priority").integer
        return task
    }

    /// How many more executions it may have after the next one.
    var retries: Int64 { json("retries").integer ?? 0 }

    /// What it is called with.
    var payload: ForeignPayload {
        let value: JSONValue = ["args": json("args"), "kwargs": json("kwargs")]
        return ForeignPayload(
            bytes: bytes, format: isPacked ? "pickle in zlib" : "pickle", value: value,
            whyFixed: fixed)
    }

    private var fixed: String? {
        if bytes.starts(with: [0x1F, 0x8B]) { return "it is packed by gzip" }
        for (index, value) in values.enumerated() {
            var text = PickleText()
            if Self.names[min(index, 14)] == "args", case .tuple(let elements) = value.kind {
                for element in elements { _ = text.json(element) }
            } else {
                _ = text.json(value)
            }
            if !text.isPlain { return "it holds more than plain values" }
        }
        return nil
    }

    /// What its system keeps of it beside the payload.
    var fields: JSONObject {
        var fields = JSONObject()
        for name in Self.names where !["args", "kwargs", "id"].contains(name) {
            let value = json(name)
            if !value.isNull { fields[name] = value }
        }
        return fields
    }

    /// The bytes of the message with another call.
    func edited(_ value: JSONValue) throws -> [UInt8] {
        if let fixed { throw QueueError.notLegal("it cannot be edited: \(fixed)") }
        guard let arguments = value["args"]?.array, let named = value["kwargs"]?.object,
            Set(value.object?.keys ?? []).isSubset(of: ["args", "kwargs"])
        else {
            throw QueueError(
                .badValue, "the payload is no call",
                fix: "give {\"args\":[…],\"kwargs\":{…}} as sluice show has it")
        }
        var parts = values.map { PickleWriter.Value.read($0) }
        parts[6] = .tuple(arguments.map { .json($0) })
        parts[7] = .json(.object(named))
        let content = PickleWriter.object("huey.registry", "Message", parts)
        return isPacked ? Inflate.stored(content) : content
    }

    /// What a stored result says: how its task ended, and its error.
    static func outcome(_ bytes: [UInt8]) -> (String, String?) {
        guard let value = PickleReader.value(Inflate.content(bytes) ?? bytes),
            case .call(let callable, let arguments, _) = value.kind,
            case .global(let type) = callable.kind, type.hasPrefix("huey."),
            type.hasSuffix("Error")
        else { return ("success", nil) }
        var text = PickleText()
        return ("giveUp", text.json(arguments)[0]?["error"]?.string)
    }
}
