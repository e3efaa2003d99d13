/// The letters of RFC 4648.
enum Base64 {
    private static let letters = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// The bytes as letters, filled up with `=`.
    static func encoded(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            var value = group.reduce(0) { $0 << 8 | Int($1) }
            value <<= 8 * (3 - group.count)
            for place in 0..<4 {
                let isFilled = place <= group.count
                result.append(isFilled ? letters[value >> (18 - 6 * place) & 63] : 0x3d)
            }
        }
        return result
    }
}
