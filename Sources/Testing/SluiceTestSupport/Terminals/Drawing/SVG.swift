/// How SVG writes numbers and texts.
enum SVG {
    /// A number with at most two digits after the point.
    static func number(_ value: Double) -> String {
        let hundredths = Int((value * 100).rounded())
        let (whole, rest) = (abs(hundredths) / 100, abs(hundredths) % 100)
        let sign = hundredths < 0 ? "-" : ""
        if rest == 0 { return "\(sign)\(whole)" }
        if rest % 10 == 0 { return "\(sign)\(whole).\(rest / 10)" }
        return "\(sign)\(whole).\(rest < 10 ? "0" : "")\(rest)"
    }

    static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            default: escaped.unicodeScalars.append(scalar.value < 32 ? "\u{FFFD}" : scalar)
            }
        }
        return escaped
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
