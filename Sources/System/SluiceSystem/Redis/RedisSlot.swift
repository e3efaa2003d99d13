/// The slot of a key in a cluster: one of 16,384, computed from the text in the first braces of its
/// name, or from the whole name.
package enum RedisSlot {
    static let count = 16_384

    /// The part of a key that determines the slot: keys with one tag share a slot.
    package static func tag(_ key: [UInt8]) -> [UInt8] {
        guard let open = key.firstIndex(of: UInt8(ascii: "{")),
            let close = key[open...].firstIndex(of: UInt8(ascii: "}")), close > open + 1
        else { return key }
        return Array(key[(open + 1)..<close])
    }

    static func of(_ key: [UInt8]) -> Int {
        var sum: UInt16 = 0
        // CRC-16 of XMODEM.
        for byte in tag(key) {
            sum ^= UInt16(byte) << 8
            for _ in 0..<8 { sum = sum & 0x8000 == 0 ? sum << 1 : sum << 1 ^ 0x1021 }
        }
        return Int(sum) % count
    }
}

extension RedisCommand {
    /// Commands without a key.
    private static let keyless: Set<String> = ["CLIENT", "INFO", "PING", "PUBLISH", "TIME"]

    /// The first key that it names; nil if it names none.
    var key: [UInt8]? {
        let name = String(decoding: words[0], as: UTF8.self)
        switch name {
        case "EVAL": return words.count > 3 && words[2] != Array("0".utf8) ? words[3] : nil
        case "XREAD":
            let streams = words.firstIndex(of: Array("STREAMS".utf8))
            return streams.flatMap { $0 + 1 < words.count ? words[$0 + 1] : nil }
        default: return Self.keyless.contains(name) || words.count < 2 ? nil : words[1]
        }
    }
}
