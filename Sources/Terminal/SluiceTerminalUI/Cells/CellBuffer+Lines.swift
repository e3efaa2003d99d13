extension CellBuffer {
    /// The rows as text without blanks at their ends, for screen tests.
    package var lines: [String] {
        (0..<size.height).map { y in
            Self.withoutTrailingBlanks(self[row: y].reduce(into: "") { $1.append(to: &$0) })
        }
    }

    /// The rows as one letter of `Role.letter` a cell, for screen tests.
    ///
    /// Emphasis makes it upper case; a blank of plain text is a blank. Ends are cut as in `lines`.
    package var roleLines: [String] {
        (0..<size.height).map { y in
            let letters = self[row: y].map { cell -> String in
                if cell.role == .text, !cell.emphasis, cell.text == " " { return " " }
                let letter = String(cell.role.letter)
                return cell.emphasis ? letter.uppercased() : letter
            }
            return Self.withoutTrailingBlanks(letters.joined())
        }
    }

    /// The rows as one letter of `Background.letter` a cell, for screen tests; none is a blank.
    package var backgroundLines: [String] {
        (0..<size.height).map { y in
            let letters = self[row: y].map { cell -> Character in
                cell.background == .none ? " " : cell.background.letter
            }
            return Self.withoutTrailingBlanks(String(letters))
        }
    }

    private static func withoutTrailingBlanks(_ line: String) -> String {
        guard let last = line.lastIndex(where: { $0 != " " }) else { return "" }
        return String(line[...last])
    }
}
