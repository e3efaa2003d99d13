import QueueModel

/// The words of a line that no shell has taken apart, as the console's `:` line has it.
enum CommandWords {
    /// Splits at blanks; a word with blanks stands in single or double quotes, and a backslash
    /// keeps the next character as it is, not inside single quotes. Throws for an open quote.
    static func split(_ line: String) throws(QueueError) -> [String] {
        var words: [String] = []
        var word: String?
        var quote: Character?
        var isKept = false
        for character in line {
            if isKept {
                word = (word ?? "") + String(character)
                isKept = false
            } else if character == "\\", quote != "'" {
                isKept = true
            } else if let open = quote {
                if character == open {
                    quote = nil
                } else {
                    word = (word ?? "") + String(character)
                }
            } else if character == "'" || character == "\"" {
                quote = character
                word = word ?? ""
            } else if character.isWhitespace {
                if let whole = word { words.append(whole) }
                word = nil
            } else {
                word = (word ?? "") + String(character)
            }
        }
        if let quote {
            throw QueueError(
                .badValue, "a quote is not closed", fix: "close it with \(quote)")
        }
        if let word { words.append(word) }
        return words
    }
}
