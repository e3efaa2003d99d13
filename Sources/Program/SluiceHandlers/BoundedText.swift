/// Texts that are cut, never in the middle of a character.
enum BoundedText {
    /// At most `limit` bytes of a text; a cut text ends with `…`.
    static func prefix(_ text: String, bytes limit: Int) -> String {
        let bytes = Array(text.utf8)
        guard bytes.count > limit else { return text }
        var end = limit
        while end > 0, bytes[end] & 0xC0 == 0x80 { end -= 1 }
        return String(decoding: bytes[..<end], as: UTF8.self) + "…"
    }
}
