/// Bytes as text of 64 signs (RFC 4648) with `=` at the end.
package enum Base64 {
    private static let signs = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// The value of each byte that is a sign, 255 of any other.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 255, count: 256)
        for (value, sign) in signs.enumerated() { values[Int(sign)] = UInt8(value) }
        return values
    }()

    /// The text for bytes.
    package static func encode(_ bytes: [UInt8]) -> String {
        let (whole, rest) = (bytes.count / 3, bytes.count % 3)
        let count = (whole + (rest > 0 ? 1 : 0)) * 4
        let signs = Self.signs
        return String(unsafeUninitializedCapacity: count) { text in
            var place = 0
            func put(_ group: UInt32, _ used: Int) {
                for index in 0..<4 {
                    text[place] =
                        index < used
                        ? signs[Int(group >> UInt32(18 - 6 * index)) & 63] : UInt8(ascii: "=")
                    place += 1
                }
            }
            for start in stride(from: 0, to: whole * 3, by: 3) {
                let pair = UInt32(bytes[start]) << 16 | UInt32(bytes[start + 1]) << 8
                put(pair | UInt32(bytes[start + 2]), 4)
            }
            if rest > 0 {
                let second = rest > 1 ? UInt32(bytes[whole * 3 + 1]) << 8 : 0
                put(UInt32(bytes[whole * 3]) << 16 | second, rest + 1)
            }
            return count
        }
    }

    /// Decodes a text; `nil` if it is invalid. Accepts only output of `encode`, so that encoding
    /// returns the same text.
    package static func decode(_ text: String) -> [UInt8]? {
        var text = text
        return text.withUTF8 { decode($0) }
    }

    /// The bytes of a text in the usual or the URL alphabet, with or without `=` at the end; nil
    /// for any other text.
    package static func decodeAny(_ text: String) -> [UInt8]? {
        var text = text
        return text.withUTF8 { text in
            let filled = text.suffix(2).count { $0 == UInt8(ascii: "=") }
            let signs = text.dropLast(filled)
            guard signs.count % 4 != 1 else { return nil }
            var bytes: [UInt8] = []
            bytes.reserveCapacity(signs.count * 3 / 4)
            var (bits, count): (UInt32, UInt32) = (0, 0)
            let values = Self.values
            for sign in signs {
                let value =
                    sign == UInt8(ascii: "-")
                    ? 62 : sign == UInt8(ascii: "_") ? 63 : values[Int(sign)]
                guard value != 255 else { return nil }
                (bits, count) = (bits << 6 | UInt32(value), count + 6)
                guard count >= 8 else { continue }
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> count))
                bits &= (1 << count) - 1
            }
            return bytes
        }
    }

    private static func decode(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        guard text.count.isMultiple(of: 4) else { return nil }
        let filled = text.suffix(2).count { $0 == UInt8(ascii: "=") }
        let signs = text.count - filled
        var isWrong = false
        let bytes = [UInt8](unsafeUninitializedCapacity: text.count / 4 * 3) { bytes, count in
            let values = Self.values
            for start in stride(from: 0, to: text.count, by: 4) {
                var group: UInt32 = 0
                for place in start..<start + 4 {
                    let value = place < signs ? values[Int(text[place])] : 0
                    if value == 255 { isWrong = true }
                    group = group << 6 | UInt32(value & 63)
                }
                let used = min(3, (signs - start) * 3 / 4)
                for index in 0..<used {
                    bytes[count] = UInt8(truncatingIfNeeded: group >> UInt32(16 - 8 * index))
                    count += 1
                }
                // The unused bits of the last character must be zero.
                if used < 3, group << UInt32(8 + 8 * used) != 0 { isWrong = true }
            }
        }
        return isWrong ? nil : bytes
    }
}
