package final class BytesBody: HTTPBody {
    private let bytes: [UInt8]
    private var sent = 0

    /// The body of these bytes.
    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The next bytes.
    package func read(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        let count = min(buffer.count, bytes.count - sent)
        buffer.copyBytes(from: bytes[sent..<(sent + count)])
        sent += count
        return count
    }

    /// Back to the first byte.
    package func rewind() -> Bool {
        sent = 0
        return true
    }
}
