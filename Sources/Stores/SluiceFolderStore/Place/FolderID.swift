import SluiceSystem

/// The ids of tasks that the SDK has not seen yet.
enum FolderID {
    /// A new random UUID (RFC 9562, version 4) in capitals.
    static func random() -> String {
        var random = SystemRandom()
        let words: [UInt64] = [random.next(), random.next()]
        let high = words[0] & ~0xF000 | 0x4000
        let low = words[1] & ~(0b11 << 62) | 0b10 << 62
        let digits = hexadecimal(high) + hexadecimal(low)
        return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }
            .joined(separator: "-")
    }

    private static func hexadecimal(_ word: UInt64) -> [Character] {
        let digits = String(word, radix: 16, uppercase: true)
        return Array(String(repeating: "0", count: 16 - digits.count) + digits)
    }
}
