/// The work of one type of task, as a Swift value: it is encoded when it is enqueued, so it is a
/// snapshot (section 1), and decoded for its handler, or for the session that collects its result.
public protocol TaskPayload: Codable, Sendable {
    /// The type under which it is enqueued and handled.
    static var taskType: String { get }
    /// The version of what is encoded, from 1; raise it where older programs could not read what
    /// this one writes. It stands in the payload as `$version`, unless it is 1.
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

    /// What `enqueue` would write: for whoever changes the payload of a task that is there.
    public func encoded() throws -> [UInt8] { try PayloadCoding.encode(self) }
}
