/// A screen drawing in layers: backgrounds, shapes, text.
package struct ScreenDrawing {
    private let theme: PictureTheme
    private let fontSize: Double
    private let cellWidth: Double
    private let cellHeight: Double
    private let ascent: Double
    private var backgrounds = SVGShapes()
    private var shapes = SVGShapes()
    private var texts: [String] = []

    /// The advance of DejaVu Sans Mono, its height and its ascent as parts of the font size.
    private static let advance = 0.60205
    private static let lineHeight = 1.1641
    private static let fontAscent = 0.9282

    /// An empty drawing. Rounds `fontSize` so that a cell has whole pixels.
    package init(theme: PictureTheme, fontSize: Double) {
        self.theme = theme
        cellWidth = max(4, (fontSize * Self.advance).rounded())
        self.fontSize = cellWidth / Self.advance
        cellHeight = (self.fontSize * Self.lineHeight * 1.06).rounded()
        let slack = cellHeight - self.fontSize * Self.lineHeight
        ascent = slack / 2 + self.fontSize * Self.fontAscent
    }

    package mutating func draw(_ row: [ScreenCell], number: Int) {
        var run = TextRun()
        for (column, cell) in row.enumerated() where cell.width > 0 {
            let ink = Ink(cell.style, theme)
            let box = CellBox(
                x: Double(column) * cellWidth, y: Double(number) * cellHeight,
                width: cellWidth * Double(cell.width), height: cellHeight)
            drawBehind(ink, box)
            if !run.takes(cell.text, ink, at: column) {
                flush(&run, row: number)
            }
            drawLines(cell.style, ink, box)
            switch CellContent(cell) {
            case .blank: run.addBlank()
            case .shape(let scalar):
                flush(&run, row: number)
                drawShape(scalar, ink, box)
            case .plain: run.add(cell.text, ink, at: column)
            case .other:
                flush(&run, row: number)
                drawCentred(cell.text, ink, box)
            }
        }
        flush(&run, row: number)
    }

    package mutating func drawCursor(_ cell: ScreenCell, column: Int, row: Int) {
        let ink = Ink(cell.style, theme)
        let box = CellBox(
            x: Double(column) * cellWidth, y: Double(row) * cellHeight,
            width: cellWidth * Double(max(1, cell.width)), height: cellHeight)
        backgrounds.add(
            SVGShapes.Rectangle(
                x: box.x, y: box.y, width: box.width, height: box.height,
                color: ink.foreground, opacity: 0.45))
    }

    package func document(columns: Int, rows: Int) -> String {
        ([head(columns: columns, rows: rows), elements] + ["</g>", "</svg>", ""])
            .joined(separator: "\n")
    }

    /// Returns and clears the elements drawn so far, for embedding in a document.
    package mutating func drainElements() -> String {
        defer { (backgrounds, shapes, texts) = (SVGShapes(), SVGShapes(), []) }
        return elements
    }

    private var elements: String {
        let rectangles = backgrounds.rectangleElements + shapes.rectangleElements
        let flat = [#"<g shape-rendering="crispEdges">"#] + rectangles + ["</g>"]
        return ((rectangles.isEmpty ? [] : flat) + shapes.others + texts).joined(separator: "\n")
    }

    /// The beginning of a document; `style` is its sheet.
    package func head(columns: Int, rows: Int, style: String = "") -> String {
        let margin = cellWidth
        let width = SVG.number(Double(columns) * cellWidth + 2 * margin)
        let height = SVG.number(Double(rows) * cellHeight + 2 * margin)
        let size = SVG.number(fontSize)
        let font = "'DejaVu Sans Mono', Menlo, Consolas, monospace"
        return [
            #"<svg xmlns="http://www.w3.org/2000/svg" width="\#(width)" height="\#(height)" "#
                + #"viewBox="0 0 \#(width) \#(height)">\#(style)"#,
            #"<rect width="\#(width)" height="\#(height)" rx="6" "#
                + #"fill="\#(theme.background.hex)"/>"#,
            #"<g transform="translate(\#(SVG.number(margin)) \#(SVG.number(margin)))" "#
                + #"font-family="\#(font)" font-size="\#(size)" "#
                + #"fill="\#(theme.foreground.hex)">"#,
        ].joined(separator: "\n")
    }

    private mutating func drawBehind(_ ink: Ink, _ box: CellBox) {
        guard ink.background != theme.background else { return }
        backgrounds.add(
            SVGShapes.Rectangle(
                x: box.x, y: box.y, width: box.width, height: box.height,
                color: ink.background))
    }

    private mutating func drawLines(_ style: ScreenStyle, _ ink: Ink, _ box: CellBox) {
        let places = (style.underline ? [ascent + 2] : []) + (style.strike ? [ascent * 0.68] : [])
        for place in places {
            shapes.add(
                SVGShapes.Rectangle(
                    x: box.x, y: box.y + place.rounded(), width: box.width, height: box.pen,
                    color: ink.foreground))
        }
    }

    private mutating func drawShape(_ scalar: UInt32, _ ink: Ink, _ box: CellBox) {
        if BoxDrawing.range.contains(scalar) {
            BoxDrawing.draw(scalar, in: box, ink.foreground, to: &shapes)
        } else {
            BlockElements.draw(scalar, in: box, ink.foreground, to: &shapes)
        }
    }

    private mutating func drawCentred(_ text: String, _ ink: Ink, _ box: CellBox) {
        let place = attributes(x: box.x + box.width / 2, y: box.y)
        texts.append(
            "<text \(place) text-anchor=\"middle\"\(look(ink))>\(SVG.escaped(text))</text>")
    }

    private mutating func flush(_ run: inout TextRun, row: Int) {
        defer { run = TextRun() }
        guard let ink = run.ink else { return }
        let place = attributes(x: Double(run.column) * cellWidth, y: Double(row) * cellHeight)
        let length = SVG.number(Double(run.text.unicodeScalars.count) * cellWidth)
        // A viewer without the font still keeps to the grid by the length.
        let fit = #" textLength="\#(length)" lengthAdjust="spacingAndGlyphs""#
        texts.append("<text \(place)\(fit)\(look(ink))>\(SVG.escaped(run.text))</text>")
    }

    private func attributes(x: Double, y: Double) -> String {
        #"x="\#(SVG.number(x))" y="\#(SVG.number(y + ascent))""#
    }

    private func look(_ ink: Ink) -> String {
        (ink.foreground == theme.foreground ? "" : " fill=\"\(ink.foreground.hex)\"")
            + (ink.bold ? " font-weight=\"bold\"" : "")
            + (ink.italic ? " font-style=\"italic\"" : "")
    }
}
