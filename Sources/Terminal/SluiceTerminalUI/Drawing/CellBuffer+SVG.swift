extension CellBuffer {
    /// Draws the screen as an SVG image on an exact grid of cells, as `ScreenDrawing` does.
    ///
    /// `style` gives the look of a cell. `theme` has the colours of the image.
    package func svg(
        theme: PictureTheme, fontSize: Double = 16, style: (Cell) -> CellStyle
    ) -> String {
        var drawing = ScreenDrawing(theme: theme, fontSize: fontSize)
        for y in 0..<size.height {
            let row = self[row: y].map { cell in
                ScreenCell(
                    text: cell.text, width: Int(cell.width), style: ScreenStyle(style(cell)))
            }
            drawing.draw(row, number: y)
        }
        return drawing.document(columns: size.width, rows: size.height)
    }
}

extension ScreenStyle {
    init(_ style: CellStyle) {
        self.init()
        foreground = style.foreground.map(ScreenColor.indexed) ?? .standard
        background = style.background.map(ScreenColor.indexed) ?? .standard
        bold = style.bold
        underline = style.underline
        reverse = style.reverse
    }
}
