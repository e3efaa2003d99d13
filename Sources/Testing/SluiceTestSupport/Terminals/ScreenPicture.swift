package import SluiceTerminalUI

/// The screen of a terminal at one moment.
package struct ScreenPicture: Equatable, Sendable {
    /// A place, counted from 0 at the top left.
    package struct Position: Hashable, Sendable {
        package var column: Int
        package var row: Int

        package init(column: Int, row: Int) {
            self.column = column
            self.row = row
        }
    }

    package let columns: Int
    /// The rows from the top, each of `columns` cells.
    package let rows: [[ScreenCell]]
    package let cursor: Position
    package let isCursorVisible: Bool
    /// Whether the program is on the alternate screen, as full-screen programs are.
    package let isAlternate: Bool

    package init(
        columns: Int, rows: [[ScreenCell]], cursor: Position, isCursorVisible: Bool,
        isAlternate: Bool
    ) {
        self.columns = columns
        self.rows = rows
        self.cursor = cursor
        self.isCursorVisible = isCursorVisible
        self.isAlternate = isAlternate
    }

    /// The text of each row without blanks at its end.
    package var lineTexts: [String] { rows.map(Self.text) }

    /// The rows as lines, without blanks at their ends and without empty rows at the end.
    package var text: String {
        var lines = lineTexts
        while lines.last?.isEmpty == true { lines.removeLast() }
        return lines.joined(separator: "\n")
    }

    /// The cell at a place; a blank one outside the screen.
    package subscript(row row: Int, column column: Int) -> ScreenCell {
        guard rows.indices.contains(row), rows[row].indices.contains(column) else {
            return ScreenCell()
        }
        return rows[row][column]
    }

    /// The first place of a text within one row, from the top, or `nil`.
    package func position(of text: String) -> Position? {
        let wanted = Array(text.utf8)
        for (number, row) in rows.enumerated() {
            var bytes: [UInt8] = []
            let starts = row.map { cell in
                defer { bytes += cell.text.utf8 }
                return bytes.count
            }
            let column = starts.indices.first { column in
                row[column].width > 0 && bytes[starts[column]...].starts(with: wanted)
            }
            if let column { return Position(column: column, row: number) }
        }
        return nil
    }

    /// The look of the first cell of a text; nil when the text is not there.
    package func style(of text: String) -> ScreenStyle? {
        position(of: text).map { self[row: $0.row, column: $0.column].style }
    }

    private static func text(_ row: [ScreenCell]) -> String {
        var text = row.map(\.text).joined()
        while text.last == " " { text.removeLast() }
        return text
    }
}

extension ScreenPicture {
    /// Draws the screen as an SVG image on an exact grid of cells.
    ///
    /// Box drawing, blocks and Braille become shapes, other characters become text in DejaVu Sans
    /// Mono. Rounds `fontSize` so that a cell has whole pixels.
    package func svg(
        theme: PictureTheme = .dark, fontSize: Double = 16, showsCursor: Bool = true
    ) -> String {
        var drawing = ScreenDrawing(theme: theme, fontSize: fontSize)
        for (number, row) in rows.enumerated() { drawing.draw(row, number: number) }
        if showsCursor && isCursorVisible {
            drawing.drawCursor(
                self[row: cursor.row, column: cursor.column], column: cursor.column,
                row: cursor.row)
        }
        return drawing.document(columns: columns, rows: rows.count)
    }
}
