/// The identity of a task across copies. It survives export and import, so a repeated import adds
/// nothing.
///
/// A task of Sluice has a UUID of version 8 (RFC 9562) from its store's identity and its number. A
/// task of a Customer.io folder has the SDK's UUID. A line without an identity uses its place and
/// content.
package enum TaskOrigin {
    /// The origin of a task that was first enqueued in the store of that identity.
    package static func local(_ id: TaskID, in identity: String) -> String {
        let high = mark(of: identity)
        let low = UInt64(bitPattern: id) & ~variantMask | variant
        let digits = hexadecimal(high) + hexadecimal(low)
        return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }
            .joined(separator: "-")
    }

    /// The number of the task that an origin names, where it was first enqueued in the store of
    /// that identity; nil for any other.
    package static func id(of origin: String, in identity: String) -> TaskID? {
        guard isUUID(origin) else { return nil }
        let digits = origin.replacing("-", with: "")
        guard let high = UInt64(digits.prefix(16), radix: 16), high == mark(of: identity),
            let low = UInt64(digits.suffix(16), radix: 16), low & variantMask == variant
        else { return nil }
        return TaskID(low & ~variantMask)
    }

    /// The origin of a line without one: its number in the file and its content.
    package static func line(_ number: Int, _ bytes: [UInt8]) -> String {
        var (one, other) = (Fingerprint(), Fingerprint(seed: 0x9E37_79B9_7F4A_7C15))
        bytes.withUnsafeBufferPointer { bytes in
            for byte in bytes {
                one.consume(byte)
                other.consume(byte)
            }
        }
        let digits = hexadecimal(one.value) + hexadecimal(other.value)
        return "line-\(number)-\(String(digits))"
    }

    /// A key of 63 bits for an origin whose text is not stored. Consecutive tasks have adjacent
    /// keys, so an index of them stays dense.
    package static func key(of origin: String) -> Int64 {
        var mixed = Fingerprint(of: origin).value
        for factor in [0xFF51_AFD7_ED55_8CCD, 0xC4CE_B9FE_1A85_EC53] as [UInt64] {
            mixed = (mixed ^ mixed >> 33) &* factor
        }
        mixed ^= mixed >> 33
        let place = number(in: origin) ?? mixed >> 44
        return Int64((place & 0xF_FFFF) << 43 | mixed & ((1 << 43) - 1))
    }

    /// The number of the line or task in an origin.
    private static func number(in origin: String) -> UInt64? {
        if isUUID(origin) { return UInt64(origin.suffix(5), radix: 16) }
        guard origin.hasPrefix("line-") else { return nil }
        return UInt64(origin.dropFirst(5).prefix { $0 != "-" })
    }

    /// Whether a text has the form of a UUID.
    package static func isUUID(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard bytes.count == 36 else { return false }
        return bytes.enumerated().allSatisfy { place, byte in
            if [8, 13, 18, 23].contains(place) { return byte == UInt8(ascii: "-") }
            return UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
                || UInt8(ascii: "A")...UInt8(ascii: "F") ~= byte
                || UInt8(ascii: "a")...UInt8(ascii: "f") ~= byte
        }
    }

    private static let variantMask: UInt64 = 0b11 << 62
    private static let variant: UInt64 = 0b10 << 62

    /// 60 bits of the identity around the version.
    private static func mark(of identity: String) -> UInt64 {
        Fingerprint(of: identity).value & ~0xF000 | 0x8000
    }

    private static func hexadecimal(_ word: UInt64) -> [Character] {
        let digits = String(word, radix: 16, uppercase: true)
        return Array(String(repeating: "0", count: 16 - digits.count) + digits)
    }
}
