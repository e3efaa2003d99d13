/// The text of a person's own settings: a line `name = value` for each, and comments after `#`. A
/// value that begins with `!` is a shell command.
///
/// It is the form of the files of keys and of themes.
package struct SettingsText: Hashable, Sendable {
    package struct Line: Hashable, Sendable {
        /// The number of the line, from 1.
        package var number: Int
        /// The text before the last `=`.
        package var name: String
        /// The text after it.
        package var value: String

        package func problem(_ message: String, fix: String) -> Problem {
            Problem(line: number, message: message, fix: fix)
        }
    }
    /// A problem: its line, and how to fix it.
    package struct Problem: Error, Hashable, Sendable {
        /// The number of the line, from 1.
        package var line: Int
        package var message: String
        package var fix: String

        /// A problem of a line, from 1.
        package init(line: Int, message: String, fix: String) {
            (self.line, self.message, self.fix) = (line, message, fix)
        }
    }
    /// The settings in their order.
    package var lines: [Line] = []

    /// Parses a text. Throws for the first line that is not empty, a comment or a setting.
    package init(_ text: String) throws(Problem) {
        let pieces = text.split(omittingEmptySubsequences: false) { $0.isNewline }
        for (index, piece) in pieces.enumerated() {
            let isFirst = index == 0
            let line = Self.trimmed(isFirst ? piece.drop { $0 == "\u{FEFF}" } : piece)
            if line.isEmpty || line.first == "#" { continue }
            if let (name, command) = Self.command(line) {
                lines.append(
                    Line(number: index + 1, name: String(name), value: String(command)))
                continue
            }
            let whole = Self.withoutComment(line)
            guard let mark = whole.lastIndex(of: "=") else {
                throw Problem(
                    line: index + 1, message: "\"\(whole)\" is no setting",
                    fix: "write NAME = VALUE, and # before a comment")
            }
            let (name, value) = (
                Self.trimmed(whole[..<mark]), Self.trimmed(whole[whole.index(after: mark)...])
            )
            guard !name.isEmpty, !value.isEmpty else {
                throw Problem(
                    line: index + 1,
                    message: "\"\(whole)\" lacks its \(name.isEmpty ? "name" : "value")",
                    fix: "write NAME = VALUE")
            }
            lines.append(Line(number: index + 1, name: String(name), value: String(value)))
        }
    }

    /// The parts of `NAME = !COMMAND`. The command has the rest of the line, with any `=` and `#`.
    private static func command(_ line: Substring) -> (name: Substring, command: Substring)? {
        // The name itself may be `=`.
        guard let mark = line.dropFirst().firstIndex(of: "=") else { return nil }
        let value = trimmed(line[line.index(after: mark)...])
        return value.first == "!" ? (trimmed(line[..<mark]), value) : nil
    }

    /// The line without a comment. A comment begins with `#` after a blank.
    private static func withoutComment(_ line: Substring) -> Substring {
        var former: Character = "#"
        for index in line.indices {
            if line[index] == "#", former.isWhitespace { return trimmed(line[..<index]) }
            former = line[index]
        }
        return line
    }

    /// A text without white space at its ends.
    package static func trimmed(_ text: Substring) -> Substring {
        var rest = text
        while rest.first?.isWhitespace == true { rest.removeFirst() }
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return rest
    }
}
