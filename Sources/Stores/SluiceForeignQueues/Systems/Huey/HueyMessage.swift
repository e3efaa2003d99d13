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

    /// Decodes a message; `nil` for other data, or a signed message.
    init?(_ bytes: [UInt8]) {
        let content = Zlib.content(bytes)
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

    var id: String { json("id").string ?? "?" }

    /// The name of its task: a module, and `queuecmd_` or the name of a class.
    var name: String { json("name").string ?? "?" }

    /// Its earliest start, read as UTC, huey's default.
    private var eta: Timestamp? {
        Self.names.firstIndex(of: "eta").flatMap {
            $0 < values.count ? PickleMoment.moment(values[$0]) : nil
        }
    }

    func task(in queue: String, _ display: ForeignTask.Display) -> ForeignTask {
        let type = name.split(separator: ".").last.map(String.init) ?? name
        var task = ForeignTask(reference: id, queue: queue, type: type, display: display)
        task.label = "\(type)(\(json("args").text) \(json("kwargs").text))"
        task.priority = priority
        task.notBefore = eta
        return task
    }

    /// The priority with which huey puts it into its queue again.
    var priority: Int64? { json("priority").integer }

    /// How many more executions it may have after the next one.
    var retries: Int64 { json("retries").integer ?? 0 }

    var payload: ForeignPayload {
        let value: JSONValue = ["args": json("args"), "kwargs": json("kwargs")]
        return ForeignPayload(
            bytes: bytes, format: isPacked ? "pickle in zlib" : "pickle", value: value,
            whyFixed: fixed)
    }

    private static let gzipped = "it is packed by gzip"

    private var fixed: String? {
        if bytes.starts(with: [0x1F, 0x8B]) { return Self.gzipped }
        for (index, value) in values.enumerated() {
            let name = Self.names[min(index, 14)]
            // The writer copies the message's own times unchanged.
            if name != "kwargs", PickleMoment.bytes(value) != nil { continue }
            var text = PickleText()
            if name == "args", case .tuple(let elements) = value.kind {
                for element in elements { _ = text.json(element) }
            } else {
                _ = text.json(value)
            }
            if !text.isPlain { return "it holds more than plain values" }
        }
        return nil
    }

    /// Additional fields of the message, without the payload.
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
        let call = try PythonCall(edited: value)
        var parts = values.map { PickleWriter.Value.read($0) }
        parts[6] = .tuple(call.arguments.map { .json($0) })
        parts[7] = .json(.object(call.named))
        let content = PickleWriter.object("huey.registry", "Message", parts)
        return isPacked ? Zlib.packed(content) : content
    }

    /// The bytes of the message with another time. A consumer that takes a task puts it back until
    /// the message's own time, whatever the schedule says.
    func postponed(to moment: Timestamp) throws -> [UInt8] {
        // The schedule decides about a message without a time.
        guard let eta else { return bytes }
        let time = Array("C\n".utf8)
        let content = Zlib.content(bytes) ?? bytes
        // The id and the name of the task, before its time, are texts without these bytes.
        if fixed != Self.gzipped, let old = PickleMoment.bytes(values[2]),
            let place = content.firstRange(of: time + old)
        {
            var new = content
            new.replaceSubrange(place, with: time + PickleMoment.bytes(of: moment))
            let changed = isPacked ? Zlib.packed(new) : new
            if let message = HueyMessage(changed), message.eta == moment, message.rest == rest {
                return changed
            }
        }
        guard moment < eta else { return bytes }
        throw QueueError.notLegal(
            "its message has the time \(TimeText.rfc3339(eta)), which cannot be changed: a "
                + "consumer puts it back until then")
    }

    /// All that the message says except its time.
    private var rest: [JSONValue] {
        values.enumerated().filter { $0.offset != 2 }.map { _, value in
            var text = PickleText()
            return text.json(value)
        }
    }

    /// The fate of a task that a consumer takes but does not run; `nil` if it runs the task.
    static func fate(of task: ForeignTask, isInSchedule: Bool) -> String? {
        if task.display == .blocked { return "a consumer took it: it is revoked, and was dropped" }
        guard task.display == .delayed, let moment = task.notBefore else { return nil }
        return "a consumer took it: it begins at \(TimeText.rfc3339(moment))"
            + (isInSchedule ? ", and huey put it into its schedule" : "")
    }

    /// A stored revocation in words; `nil` after its end.
    static func revocation(_ bytes: [UInt8], at now: Timestamp) -> String? {
        guard let value = PickleReader.value(Zlib.content(bytes) ?? bytes),
            case .tuple(let parts) = value.kind, let first = parts.first
        else { return "it is revoked: a consumer drops it" }
        guard let until = PickleMoment.moment(first) else {
            return "it is revoked: a consumer drops it"
        }
        return until > now
            ? "it is revoked until \(TimeText.rfc3339(until)): a consumer drops it" : nil
    }

    /// Decodes a stored result: the outcome and the error.
    static func outcome(_ bytes: [UInt8]) -> (String, String?) {
        error(bytes).map { ("giveUp", $0["error"]?.string) } ?? ("success", nil)
    }

    /// The exception in a stored result, by huey's names; `nil` for another result.
    static func error(_ bytes: [UInt8]) -> JSONValue? {
        guard let value = PickleReader.value(Zlib.content(bytes) ?? bytes),
            case .call(let callable, let arguments, _) = value.kind,
            case .global(let type) = callable.kind, type.hasPrefix("huey."),
            type.hasSuffix("Error")
        else { return nil }
        var text = PickleText()
        return text.json(arguments)[0] ?? .null
    }
}
