/// The received output: its size, its times, and its tail.
package struct ReceivedBytes: Sendable {
    /// The bytes of one read.
    package struct Chunk: Equatable, Sendable {
        /// The offset of its first byte in the whole output, from 0.
        package let offset: Int
        /// How many bytes it has.
        package let count: Int
        /// The time of the read, on the monotonic clock.
        package let monotonicNanoseconds: UInt64
    }

    /// How many bytes came so far.
    package private(set) var count = 0
    /// The last bytes, at least 64 KB if available.
    package private(set) var tail: [UInt8] = []
    /// The last chunks, at least 512 if available.
    package private(set) var chunks: [Chunk] = []

    private static let tailBytes = 65536
    private static let chunkCount = 512

    init() {}

    mutating func append(_ bytes: [UInt8], at monotonicNanoseconds: UInt64) {
        chunks.append(
            Chunk(offset: count, count: bytes.count, monotonicNanoseconds: monotonicNanoseconds))
        if chunks.count >= 2 * Self.chunkCount { chunks.removeFirst(Self.chunkCount) }
        count += bytes.count
        tail += bytes
        if tail.count >= 2 * Self.tailBytes { tail.removeFirst(tail.count - Self.tailBytes) }
    }

    /// When the byte at an offset came; nil when it has not, or too long ago.
    package func time(ofByteAt offset: Int) -> UInt64? {
        chunks.first { $0.offset <= offset && offset < $0.offset + $0.count }?
            .monotonicNanoseconds
    }
}
