import SluiceControl
import SluiceModel

/// Splits a line as a shell does: blanks part words, quotes keep them together.
enum CommandWords {
    /// The words; throws `badValue` for a quote that is not closed.
    static func split(_ line: String) throws(QueueError) -> [String] {
        let read = ShellLine(line)
        if let quote = read.quote {
            throw QueueError(.badValue, "a \(quote) is not closed", fix: "close it")
        }
        return read.all
    }
}
