/// A body that is in memory.
public final class BytesBody: HTTPBody {
    private let bytes: [UInt8]
    private var sent = 0

    /// The body of these bytes.
    public init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The next bytes.
    public func read(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        let count = min(buffer.count, bytes.count - sent)
        buffer.copyBytes(from: bytes[sent..<(sent + count)])
        sent += count
        return count
    }

    /// Back to the first byte.
    public func rewind() -> Bool {
        sent = 0
        return true
    }
}
