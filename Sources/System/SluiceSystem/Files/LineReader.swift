/// The lines of a descriptor, one after the other.
package struct LineReader: Sendable {
    private let descriptor: Int32
    /// How long a line may be.
    package var limitBytes: Int
    private var waiting: [UInt8] = []
    private var position = 0
    private var ended = false
    /// How much there is still to read.
    private var leftBytes: Int64

    /// Reads lines of at most `limitBytes` from a descriptor with another owner, up to `endByte`.
    package init(
        _ descriptor: Int32 = Standard.inputDescriptor, limitBytes: Int, endByte: Int64 = .max
    ) {
        self.descriptor = descriptor
        self.limitBytes = limitBytes
        leftBytes = endByte
    }

    /// The bytes of the next line without its newline; nil at the end.
    ///
    /// Waits for input. A last line without a newline counts. Throws when a line is too long.
    package mutating func next() throws(SystemError) -> [UInt8]? {
        var searched = position
        while true {
            if let end = waiting[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                return try take(upTo: end, skipping: 1)
            }
            searched = waiting.count
            if ended {
                return searched > position ? try take(upTo: searched, skipping: 0) : nil
            }
            if searched - position > limitBytes { throw tooLong }
            try fill(&searched)
        }
    }

    private mutating func fill(_ searched: inout Int) throws(SystemError) {
        waiting.removeFirst(position)
        searched -= position
        position = 0
        let wanted = Int(min(leftBytes, Int64(RawDescriptor.chunkBytes)))
        guard wanted > 0 else {
            ended = true
            return
        }
        switch try RawDescriptor.read(descriptor, atMost: wanted) {
        case .bytes(let bytes):
            waiting += bytes
            leftBytes -= Int64(bytes.count)
        case .end: ended = true
        case .nothingYet:
            _ = try Poll.wait(fds: [PollInterest(descriptor)], timeoutMilliseconds: nil)
        }
    }

    private mutating func take(upTo end: Int, skipping: Int) throws(SystemError) -> [UInt8] {
        if end - position > limitBytes { throw tooLong }
        defer { position = end + skipping }
        return Array(waiting[position..<end])
    }

    private var tooLong: SystemError {
        SystemError(.read, path: "a line", reason: .largerThan(bytes: limitBytes))
    }
}
