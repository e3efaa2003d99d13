import SluiceModel

/// Texts as PostgreSQL can hold them: it has no character zero, so that one is written as two
/// others, and so is the first of these two.
enum ServerText {
    private static let mark: Unicode.Scalar = "\u{E000}"
    private static let zero: Unicode.Scalar = "0"
    private static let itself: Unicode.Scalar = "1"

    static func stored(_ text: String) -> String {
        // Its first byte is rare in any text.
        guard text.utf8.contains(where: { $0 == 0 || $0 == 0xEE }) else { return text }
        var stored = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\0": stored.append(contentsOf: [mark, zero])
            case mark: stored.append(contentsOf: [mark, itself])
            default: stored.append(scalar)
            }
        }
        return String(stored)
    }

    static func read(_ text: String) -> String {
        guard text.utf8.contains(0xEE) else { return text }
        var read = String.UnicodeScalarView()
        var isMarked = false
        for scalar in text.unicodeScalars {
            if isMarked {
                read.append(scalar == zero ? "\0" : mark)
                isMarked = false
            } else if scalar == mark {
                isMarked = true
            } else {
                read.append(scalar)
            }
        }
        return String(read)
    }

    static func stored(_ key: SortKey) -> String {
        switch key {
        case .integer(let number): "i\(number)"
        case .text(let text): "t" + stored(text)
        }
    }

    /// `nil` if the text is no stored sort key.
    static func sortKey(_ text: String) -> SortKey? {
        switch text.first {
        case "i": Int64(text.dropFirst()).map(SortKey.integer)
        case "t": .text(read(String(text.unicodeScalars.dropFirst())))
        default: nil
        }
    }
}
