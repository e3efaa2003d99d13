/// The work of a task type as a Swift value. It is encoded at the enqueue, as a snapshot (section
/// 1), and decoded for its handler or for the session that collects its result.
public protocol TaskPayload: Codable, Sendable {
    /// The task's type name.
    static var taskType: String { get }
    /// The version of the encoding, from 1. Raise it if older programs cannot read the new one.
    /// Unless it is 1, the payload contains it as `$version`.
    static var payloadVersion: Int { get }
    /// Reads what an older version wrote, as its JSON (PN-18).
    static func upgrade(_ payload: [UInt8], from version: Int) throws -> Self
}

extension TaskPayload {
    /// The first version.
    public static var payloadVersion: Int { 1 }

    /// As if this version had written it: enough where fields that came later are optional.
    public static func upgrade(_ payload: [UInt8], from version: Int) throws -> Self {
        try PayloadCoding.decodeJSON(Self.self, payload)
    }

    /// Reads the payload of a task, as its handler would: also what an older version wrote.
    ///
    /// Throws a `HandlerError` for what cannot be read.
    public init(encoded payload: [UInt8]) throws {
        self = try PayloadCoding.decode(Self.self, from: payload)
    }

    /// The bytes that `enqueue` would write, for changing the payload of an existing task.
    public func encoded() throws -> [UInt8] { try PayloadCoding.encode(self) }
}
