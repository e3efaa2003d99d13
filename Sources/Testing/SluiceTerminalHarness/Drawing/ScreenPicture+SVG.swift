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
