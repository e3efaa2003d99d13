import FoundationEssentials

/// How typed payloads become bytes: JSON with sorted keys.
enum PayloadCoding {
    static func encode(_ payload: some TaskPayload) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return [UInt8](try encoder.encode(payload))
        } catch {
            throw QueueError(
                .badValue, "the payload cannot be encoded as JSON: \(error)",
                fix: "nothing was enqueued")
        }
    }

    /// Throws `giveUp`: a payload that does not decode is never retried (A4).
    static func decode<Payload: TaskPayload>(
        _ type: Payload.Type, from bytes: [UInt8]
    ) throws -> Payload {
        do {
            return try JSONDecoder().decode(type, from: Data(bytes))
        } catch {
            throw HandlerError(.giveUp(error: "the payload does not decode: \(error)"))
        }
    }
}
