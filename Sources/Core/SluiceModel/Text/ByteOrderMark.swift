/// The mark that some programs write before a text.
package enum ByteOrderMark {
    /// The bytes without a mark of UTF-8 before them. Throws `badValue` for UTF-16.
    package static func removed(from bytes: [UInt8]) throws(QueueError) -> [UInt8] {
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
            throw QueueError(
                .badValue, "the text is UTF-16", fix: "save it as UTF-8")
        }
        return bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
    }
}
