/// Content of any length that is known at each place and nowhere the same.
package enum Pattern {
    private static let blockBytes = 64 << 10
    private static let block: [UInt8] = {
        var state: UInt64 = 0x9E37_79B9_7F4A_7C15
        return (0..<blockBytes).map { _ in
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return UInt8(truncatingIfNeeded: state >> 32)
        }
    }()

    /// The bytes at a place: noise, with the block's number at the start of each block.
    package static func bytes(at offset: Int64, count: Int) -> [UInt8] {
        var all: [UInt8] = []
        all.reserveCapacity(count)
        while all.count < count {
            let place = offset + Int64(all.count)
            let (number, start) = (place / Int64(blockBytes), Int(place % Int64(blockBytes)))
            var piece = block
            for index in 0..<8 { piece[index] = UInt8(truncatingIfNeeded: number >> (8 * index)) }
            all += piece[start..<min(blockBytes, start + count - all.count)]
        }
        return all
    }
}
