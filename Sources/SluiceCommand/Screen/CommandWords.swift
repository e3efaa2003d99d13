import QueueModel

/// Splits a line as a shell does: blanks part words, quotes keep them together.
enum CommandWords {
    /// The words; throws `badValue` for a quote that is not closed.
    static func split(_ line: String) throws(QueueError) -> [String] {
        var words: [String] = []
        var word: String?
        var quote: Character?
        var isEscaped = false
        for character in line {
            if isEscaped {
                word = (word ?? "") + String(character)
                isEscaped = false
            } else if character == "\\", quote != "'" {
                isEscaped = true
                word = word ?? ""
            } else if let open = quote {
                if character == open {
                    quote = nil
                } else {
                    word = (word ?? "") + String(character)
                }
            } else if character == "'" || character == "\"" {
                quote = character
                word = word ?? ""
            } else if character == " " {
                if let done = word { words.append(done) }
                word = nil
            } else {
                word = (word ?? "") + String(character)
            }
        }
        if let quote {
            throw QueueError(.badValue, "a \(quote) is not closed", fix: "close it")
        }
        if let word { words.append(word) }
        return words
    }
}
