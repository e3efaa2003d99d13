import SluiceModel

/// The arguments of a Python call, as a payload shows them: `{"args":[…],"kwargs":{…}}`.
struct PythonCall {
    let arguments: [JSONValue]
    let named: JSONObject

    /// The call in an edited payload. Throws `badValue` for other content.
    init(edited value: JSONValue) throws {
        guard let arguments = value["args"]?.array, let named = value["kwargs"]?.object,
            Set(value.object?.keys ?? []).isSubset(of: ["args", "kwargs"])
        else {
            throw QueueError(
                .badValue, "the payload is no call",
                fix: "give {\"args\":[…],\"kwargs\":{…}} as sluice show has it")
        }
        (self.arguments, self.named) = (arguments, named)
    }

    /// The payload of a JSON message with the keys `args` and `kwargs`.
    static func payload(_ message: JSONObject, bytes: [UInt8]) -> ForeignPayload {
        let call: JSONValue = [
            "args": message["args"] ?? .array([]), "kwargs": message["kwargs"] ?? .null,
        ]
        return ForeignPayload(bytes: bytes, format: "json", value: call)
    }

    /// The bytes of such a message with an edited call.
    static func edit(_ message: JSONObject, _ value: JSONValue) throws -> [UInt8] {
        let call = try PythonCall(edited: value)
        var edited = message
        edited["args"] = .array(call.arguments)
        edited["kwargs"] = .object(call.named)
        return JSONValue.object(edited).bytes
    }
}
