import SluiceModel

/// A job of ARQ as it is kept: a pickle of a dictionary with its function and arguments, or what
/// another serializer made of it.
struct ARQJob {
    private let bytes: [UInt8]
    private let value: JSONValue?
    private let format: String
    private var whyFixed: String?

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        if let pickle = PickleReader.value(bytes) {
            var text = PickleText()
            let json = text.json(pickle)
            (value, format) = (json, "pickle")
            whyFixed = Self.isPlain(pickle) ? nil : "its pickle holds more than plain values"
        } else if let json = try? JSONValue.parse(bytes) {
            (value, format) = (json, "json")
        } else if let packed = MessagePackReader.value(bytes), packed.object != nil {
            (value, format) = (packed, "msgpack")
            whyFixed = "msgpack is read here and not written"
        } else {
            (value, format) = (nil, "unknown")
            whyFixed = "it is not JSON, msgpack or a readable pickle"
        }
        if whyFixed == nil, value?["f"]?.string == nil || value?["a"]?.array == nil {
            whyFixed = "it is no call"
        }
    }

    /// Whether it can be written back without loss: its arguments are a tuple, the rest is plain.
    private static func isPlain(_ pickle: PickleValue) -> Bool {
        guard case .dictionary(let pairs) = pickle.kind else { return false }
        return pairs.allSatisfy { _, value in
            var text = PickleText()
            if case .tuple(let elements) = value.kind {
                for element in elements { _ = text.json(element) }
            } else {
                _ = text.json(value)
            }
            return text.isPlain
        }
    }

    func task(_ id: String, in queue: String, _ display: ForeignTask.Display) -> ForeignTask {
        let type = value?["f"]?.string ?? "?"
        var task = ForeignTask(reference: id, queue: queue, type: type, display: display)
        if let value {
            task.label = "\(type)(\(value["a"]?.text ?? "") \(value["k"]?.text ?? ""))"
        }
        task.createdAt = value?["et"]?.integer.map { Timestamp(milliseconds: $0) }
        return task
    }

    var payload: ForeignPayload {
        let call: JSONValue? = value.map {
            [
                "function": $0["f"] ?? .null, "args": $0["a"] ?? .array([]),
                "kwargs": $0["k"] ?? .null,
            ]
        }
        return ForeignPayload(bytes: bytes, format: format, value: call, whyFixed: whyFixed)
    }

    func result(_ name: String) -> JSONValue? { value?[name] }

    /// How a result says that its job ended, and the error; nil if it cannot be read.
    var outcome: (outcome: String, error: String?)? {
        guard let isSuccess = value?["s"]?.bool else { return nil }
        guard !isSuccess else { return ("success", nil) }
        let result = value?["r"]
        // A class is written as `<builtins.ValueError>`.
        let type = result?["call"]?.string?.split(separator: ".").last?.dropLast() ?? "failure"
        let words = result?["arguments"]?[0]?.string
        return ("giveUp", words.map { "\(type): \($0)" } ?? result?.text)
    }

    /// The bytes with another call.
    func edited(_ call: JSONValue) throws -> [UInt8] {
        if let whyFixed { throw QueueError.notLegal("it cannot be edited: \(whyFixed)") }
        guard let arguments = call["args"]?.array, let named = call["kwargs"]?.object,
            let function = call["function"]?.string,
            Set(call.object?.keys ?? []).isSubset(of: ["function", "args", "kwargs"])
        else {
            throw QueueError(
                .badValue, "the payload is no call",
                fix: "give {\"function\":…,\"args\":[…],\"kwargs\":{…}} as sluice show has it")
        }
        var edited = value?.object ?? JSONObject()
        edited["f"] = .string(function)
        edited["a"] = .array(arguments)
        edited["k"] = .object(named)
        guard format == "pickle" else { return JSONValue.object(edited).bytes }
        return PickleWriter.dictionary(
            edited.pairs.map { pair in
                (
                    pair.key,
                    pair.key == "a" ? .tuple(arguments.map { .json($0) }) : .json(pair.value)
                )
            })
    }
}
