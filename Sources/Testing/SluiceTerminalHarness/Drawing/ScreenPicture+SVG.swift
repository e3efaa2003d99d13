extension ScreenPicture {
    /// Draws the screen as an SVG image on an exact grid of cells.
    ///
    /// Box drawing, blocks and Braille are drawn as shapes, everything else as text in DejaVu Sans
    /// Mono, of about `fontSize` pixels so that a cell has a whole number of them.
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
