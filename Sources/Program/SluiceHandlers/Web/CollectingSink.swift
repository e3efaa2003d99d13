import SluiceHTTPClient

/// Keeps the beginning of an answer in memory.
final class CollectingSink: HTTPSink {
    /// What is kept of a success: as much as of a command's output.
    static let resultBytes = BoundedOutput.limitBytes
    /// What is read beyond that, so that a secret at its end is found whole.
    static let spareBytes = 4096
    /// What is read of an answer that is no success: more than what is shown, for the same reason.
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
