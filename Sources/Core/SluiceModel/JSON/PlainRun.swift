/// Scans bytes of a JSON string that need no escape, eight at a time. Large payloads consist mostly
/// of such bytes.
enum PlainRun {
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highs: UInt64 = 0x8080_8080_8080_8080

    /// The first control character, quote or backslash from `start` on; the end if there are no
    /// such bytes.
    static func end(of bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        end(of: bytes, from: start, stopsAt: { holdsSpecial($0) }, or: isSpecial)
    }

    /// Also stops at delete and outside ASCII.
    static func endOfASCII(of bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        end(of: bytes, from: start, stopsAt: { holdsSpecial($0) || holdsLast($0) }) {
            isSpecial($0) || $0 >= 0x7F
        }
    }

    private static func end(
        of bytes: UnsafeBufferPointer<UInt8>, from start: Int,
        stopsAt wordStops: (UInt64) -> Bool, or byteStops: (UInt8) -> Bool
    ) -> Int {
        let raw = UnsafeRawBufferPointer(bytes)
        var place = start
        while place < bytes.count {
            while place + 8 <= bytes.count,
                !wordStops(raw.loadUnaligned(fromByteOffset: place, as: UInt64.self))
            {
                place += 8
            }
            let last = min(place + 8, bytes.count)
            while place < last {
                if byteStops(bytes[place]) { return place }
                place += 1
            }
        }
        return place
    }

    private static func isSpecial(_ byte: UInt8) -> Bool {
        byte < 32 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    /// Whether one of eight bytes is delete or no ASCII.
    private static func holdsLast(_ word: UInt64) -> Bool {
        (word | (word & ~highs) &+ ones) & highs != 0
    }

    /// Whether one of eight bytes is special, or may be.
    private static func holdsSpecial(_ word: UInt64) -> Bool {
        let quotes = word ^ (ones &* UInt64(UInt8(ascii: "\"")))
        let slashes = word ^ (ones &* UInt64(UInt8(ascii: "\\")))
        let controls = (word &- (ones &* 32)) & ~word
        return ((quotes &- ones) & ~quotes | (slashes &- ones) & ~slashes | controls) & highs != 0
    }
}
