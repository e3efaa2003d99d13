import SluiceSystem

/// Keeps the beginning of an answer in memory.
final class CollectingSink: HTTPSink {
    /// The maximum size of a result, as for a command's output.
    static let resultBytes = BoundedOutput.limitBytes
    /// The additional bytes to read, so that a secret at the end is complete.
    static let spareBytes = 4096
    /// The bytes to read from an error answer: more than is shown, for the same reason.
    private static let errorBytes = 64 << 10

    private(set) var bytes: [UInt8] = []
    private var limitBytes = 0

    func begin(_ head: HTTPHead) -> HTTPAppetite {
        bytes = []
        limitBytes = head.isSuccess ? Self.resultBytes + Self.spareBytes : Self.errorBytes
        return .more
    }

    func write(_ more: UnsafeRawBufferPointer) -> HTTPAppetite {
        bytes += more.prefix(limitBytes - bytes.count)
        return bytes.count < limitBytes ? .more : .enough
    }
}
