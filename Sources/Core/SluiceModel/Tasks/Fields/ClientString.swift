/// A value that the owner of a session receives back with a task (S1). It may be any bytes,
/// normally text. An empty value differs from `nil`. Equality compares bytes.
public struct ClientString: Hashable, Sendable {
    /// The bytes, given back as they came.
    public let bytes: [UInt8]

    /// How many bytes there may be: it comes with every look at its task.
    public static let byteLimit = 64 * 1024

    /// Any bytes.
    public init(bytes: [UInt8]) { self.bytes = bytes }

    /// A text, by its UTF-8 bytes.
    public init(_ text: String) { bytes = Array(text.utf8) }

    /// The text; nil if the bytes are not UTF-8.
    public var text: String? { String(validating: bytes, as: UTF8.self) }

    /// Throws `badValue` if it is longer than `byteLimit`.
    package func check() throws(QueueError) {
        guard bytes.count > Self.byteLimit else { return }
        throw QueueError(
            .badValue, "the client string has \(bytes.count) bytes",
            fix: "allowed: at most \(SizeText.compact(Self.byteLimit)); the payload holds more")
    }
}

extension ClientString: ExpressibleByStringInterpolation {
    /// A text.
    public init(stringLiteral text: String) { self.init(text) }
}
