/// Why a stored task cannot be given back as the typed task it was (S3); the raw values are the
/// words of JSON.
public enum DescriptionFault: String, Hashable, Sendable, CaseIterable {
    /// It has no payload at all.
    case noPersistedInfo
    /// A program newer than this one wrote it.
    case versionNotSupported
    /// The payload is not JSON.
    case badFormat
    /// The program knows no task of this type.
    case unknownKind
    /// It is JSON, but not a payload of its type.
    case undecodable

    /// The fault that is visible without knowing types, if any.
    package init?(payload: [UInt8]) {
        if payload.isEmpty {
            self = .noPersistedInfo
        } else if (try? JSONValue.parse(payload)) == nil {
            self = .badFormat
        } else {
            return nil
        }
    }
}
