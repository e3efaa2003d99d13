/// Bytes as text of 64 signs (RFC 4648) with `=` at the end.
public enum Base64 {
    private static let signs = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// The text for bytes.
    public static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let count = min(3, bytes.count - start)
            var group: UInt32 = 0
            for index in 0..<3 {
                group = group << 8 | (index < count ? UInt32(bytes[start + index]) : 0)
            }
            for index in 0..<4 {
                let sign = signs[Int(group >> UInt32(18 - 6 * index)) & 63]
                text.append(index <= count ? sign : UInt8(ascii: "="))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes of a text; nil where it is none of this kind. What `encode` would not have written
    /// is none of this kind either, so that writing gives the same text again.
    public static func decode(_ text: String) -> [UInt8]? {
        let all = Array(text.utf8)
        guard all.count.isMultiple(of: 4) else { return nil }
        let filled = all.suffix(2).count { $0 == UInt8(ascii: "=") }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(all.count / 4 * 3)
        var group: UInt32 = 0
        for (place, sign) in all.dropLast(filled).enumerated() {
            guard let value = value(of: sign) else { return nil }
            group = group << 6 | UInt32(value)
            if place % 4 == 3 {
                bytes += [16, 8, 0].map { UInt8(truncatingIfNeeded: group >> $0) }
                group = 0
            }
        }
        switch filled {
        case 2:
            guard group & 0xF == 0 else { return nil }
            bytes.append(UInt8(truncatingIfNeeded: group >> 4))
        case 1:
            guard group & 0x3 == 0 else { return nil }
            bytes += [10, 2].map { UInt8(truncatingIfNeeded: group >> $0) }
        default: break
        }
        return bytes
    }

    private static func value(of sign: UInt8) -> UInt8? {
        switch sign {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): sign - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): sign - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): sign - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
