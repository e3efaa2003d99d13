import FoundationEssentials
public import SluiceSQL
public import SluiceStore

/// How typed payloads and results become bytes: JSON with sorted keys.
enum PayloadCoding {
    /// The key of the version in a payload's object.
    static let versionKey = "$version"

    static func encode<Payload: TaskPayload>(_ payload: Payload) throws -> [UInt8] {
        let bytes = try encodeJSON(payload, "payload")
        guard Payload.payloadVersion != 1 else { return bytes }
        guard let object = try? JSONValue.parse(bytes).object else {
            throw QueueError(
                .badValue, "the payload of \(Payload.taskType) is no object",
                fix: "only an object can have a version other than 1")
        }
        // In front: a sorted place, since no letter comes before it.
        var versioned: JSONObject = [versionKey: JSONValue(Payload.payloadVersion)]
        for pair in object.pairs { versioned[pair.key] = pair.value }
        return Array(JSONValue.object(versioned).text.utf8)
    }

    static func encodeJSON(_ value: some Encodable, _ what: String) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return [UInt8](try encoder.encode(value))
        } catch {
            throw QueueError(.badValue, "the \(what) cannot be encoded as JSON: \(error)")
        }
    }

    static func decodeJSON<Value: Decodable>(
        _ type: Value.Type, _ bytes: [UInt8]
    ) throws -> Value {
        try JSONDecoder().decode(type, from: Data(bytes))
    }

    /// Decodes a payload; throws the reason if it is unreadable (S3).
    static func read<Payload: TaskPayload>(
        _ type: Payload.Type, from bytes: [UInt8]
    ) throws(UnreadablePayload) -> Payload {
        if let fault = DescriptionFault(payload: bytes) { throw UnreadablePayload(fault, "") }
        let version: Int
        switch (try? JSONValue.parse(bytes))?[versionKey] {
        case nil: version = 1
        case .integer(let number)? where number >= 1: version = Int(number)
        case let other?: throw UnreadablePayload(.badFormat, "its version is \(other.text)")
        }
        guard version <= Payload.payloadVersion else {
            throw UnreadablePayload(
                .versionNotSupported,
                "it has version \(version), and this program knows up to "
                    + "\(Payload.payloadVersion)")
        }
        do {
            return version < Payload.payloadVersion
                ? try Payload.upgrade(bytes, from: version) : try decodeJSON(type, bytes)
        } catch {
            throw UnreadablePayload(.undecodable, "\(error)")
        }
    }

    /// For a handler: what does not decode is never retried (A4), and what a newer program wrote
    /// waits for one.
    static func decode<Payload: TaskPayload>(
        _ type: Payload.Type, from bytes: [UInt8]
    ) throws -> Payload {
        do throws(UnreadablePayload) {
            return try read(type, from: bytes)
        } catch {
            guard error.fault != .versionNotSupported else {
                throw HandlerError(.park(error: "the payload is too new: \(error.detail)"))
            }
            let detail = error.detail.isEmpty ? error.fault.rawValue : error.detail
            throw HandlerError(.giveUp(error: "the payload does not decode: \(detail)"))
        }
    }
}

/// The reason why a payload is unreadable.
struct UnreadablePayload: Error {
    var fault: DescriptionFault
    var detail: String

    init(_ fault: DescriptionFault, _ detail: String) {
        self.fault = fault
        self.detail = detail
    }
}

extension ApplicationInbox {
    /// Puts a typed task into the inbox, as `QueueClient.enqueue` would into the queue.
    public func enqueue<Payload: TaskPayload>(
        _ payload: Payload, to queue: String,
        _ configure: (inout EnqueueRequest) -> Void = { _ in }
    ) throws {
        var request = try EnqueueRequest(payload)
        configure(&request)
        try enqueue(request, to: queue)
    }
}
