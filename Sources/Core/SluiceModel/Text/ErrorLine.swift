package enum ErrorLine {
    private static let python = "Traceback (most recent call last)"

    /// The cause in an error: of a Python traceback its last line, or where its lines were joined
    /// the part from the last name of an error on; of any other text the text itself.
    package static func cause(of error: String) -> String {
        guard error.hasPrefix(python) else { return error }
        let lines = error.split(whereSeparator: \.isNewline)
        if lines.count > 1 {
            let last = lines.last { $0.first?.isWhitespace == false }
            return last.map(String.init) ?? error
        }
        let words = error.split(separator: " ")
        guard let name = words.lastIndex(where: isErrorName) else { return error }
        return words[name...].joined(separator: " ")
    }

    /// Whether a word ends as the names of Python's errors do, such as `ValueError:`.
    private static func isErrorName(_ word: Substring) -> Bool {
        let name = word.last == ":" ? word.dropLast() : word
        return ["Error", "Exception", "Exit", "Interrupt", "Warning"].contains {
            name.hasSuffix($0)
        }
    }
}
