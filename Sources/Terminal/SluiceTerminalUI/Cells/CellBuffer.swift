/// A picture of the screen in cells. A view creates it, and a terminal shows it.
///
/// All text is sanitised (K11) and cut at the edges. No place, size or text makes it fail.
package struct CellBuffer: Equatable, Sendable {
    /// A larger screen is not drawn to its end.
    package static let maximumSize = Size(width: 2_000, height: 1_000)

    package let size: Size
    /// The signs that the screen can show.
    package let glyphs: GlyphSet
    var cells: [Cell]

    /// Makes a blank buffer, at most of `maximumSize`.
    package init(_ size: Size, glyphs: GlyphSet = .unicode) {
        self.size = Size(
            width: min(size.width, Self.maximumSize.width),
            height: min(size.height, Self.maximumSize.height))
        self.glyphs = glyphs
        cells = Array(repeating: .blank, count: self.size.width * self.size.height)
    }

    /// The whole as a rectangle.
    package var bounds: Rect { Rect(size) }

    /// The cell at a place, or nil outside.
    package subscript(x: Int, y: Int) -> Cell? {
        guard bounds.contains(Point(x: x, y: y)) else { return nil }
        return cells[y * size.width + x]
    }

    /// The cells of a row; empty outside.
    package subscript(row y: Int) -> ArraySlice<Cell> {
        guard y >= 0, y < size.height else { return [] }
        return cells[y * size.width..<(y + 1) * size.width]
    }

    /// The changed columns of a row since a former picture, never starting within a wide character.
    /// All columns if the sizes differ, `nil` if the row is equal.
    package func columns(row y: Int, since former: CellBuffer?) -> Range<Int>? {
        guard y >= 0, y < size.height, size.width > 0 else { return nil }
        guard let former, former.size == size else { return 0..<size.width }
        let row = y * size.width..<(y + 1) * size.width
        return cells.withUnsafeBufferPointer { new in
            former.cells.withUnsafeBufferPointer { old in
                guard let first = row.first(where: { new[$0] != old[$0] }),
                    let last = row.last(where: { new[$0] != old[$0] })
                else { return nil }
                let begin = new[first].width == 0 ? max(row.lowerBound, first - 1) : first
                return begin - row.lowerBound..<last + 1 - row.lowerBound
            }
        }
    }

    /// Takes a rectangle over from another buffer of the same size, as it is there.
    package mutating func takeOver(_ rect: Rect, of other: CellBuffer) {
        guard other.size == size else { return }
        let area = rect.intersection(bounds)
        for y in area.y..<area.maxY {
            let row = y * size.width + area.x..<y * size.width + area.maxX
            cells.replaceSubrange(row, with: other.cells[row])
        }
    }

    /// Fills a rectangle with one sign, or blanks; a wide sign is shown as a blank.
    package mutating func fill(
        _ rect: Rect, with text: String = " ", role: Role = .text, background: Background = .none
    ) {
        let area = rect.intersection(bounds)
        guard !area.isEmpty else { return }
        let first = DisplayClusters(text, glyphs: glyphs).first { $0.width == 1 }
        let cell = Cell(first ?? DisplayCluster(" "), role: role, background: background)
        for y in area.y..<area.maxY {
            for x in area.x..<area.maxX { set(cell, x: x, y: y) }
        }
    }

    /// Gives a rectangle a background and leaves its signs.
    package mutating func paint(_ rect: Rect, background: Background) {
        let area = rect.intersection(bounds)
        guard !area.isEmpty else { return }
        for y in area.y..<area.maxY {
            for x in area.x..<area.maxX { cells[y * size.width + x].background = background }
        }
    }

    /// Writes a cell of width 1 inside the picture; a wide sign that it halves becomes blank.
    mutating func set(_ cell: Cell, x: Int, y: Int) {
        let index = y * size.width + x
        let former = cells[index]
        if former.width == 0, x > 0 { cells[index - 1] = cells[index - 1].emptied() }
        if former.width == 2, x + 1 < size.width {
            cells[index + 1] = cells[index + 1].emptied()
        }
        cells[index] = cell
    }

    /// Writes a wide cell and its second half, both inside the picture.
    mutating func setWide(_ cell: Cell, x: Int, y: Int) {
        set(cell.emptied(), x: x, y: y)
        set(Cell(secondHalfOf: cell), x: x + 1, y: y)
        cells[y * size.width + x] = cell
    }
}

extension CellBuffer {
    /// Puts a text at a place and returns the column after it.
    ///
    /// A text longer than `maxWidth` ends in `…`. The edge of the picture cuts it without a sign.
    /// Without a background the existing one remains.
    @discardableResult
    package mutating func put(
        _ text: String, x: Int, y: Int, role: Role = .text, background: Background? = nil,
        emphasis: Bool = false, maxWidth: Int? = nil
    ) -> Int {
        put(
            [Span(text, role, emphasis: emphasis)], x: x, y: y, background: background,
            maxWidth: maxWidth)
    }

    /// Puts a line and returns the column after it; as with spans.
    @discardableResult
    package mutating func put(
        _ line: StyledLine, x: Int, y: Int, background: Background? = nil, maxWidth: Int? = nil
    ) -> Int {
        put(line.spans, x: x, y: y, background: background, maxWidth: maxWidth)
    }

    /// Puts spans in sequence and returns the column after them.
    ///
    /// `maxWidth` limits their total width. A longer text ends in `…`.
    @discardableResult
    package mutating func put(
        _ spans: [Span], x: Int, y: Int, background: Background? = nil, maxWidth: Int? = nil
    ) -> Int {
        guard y >= 0, y < size.height, x < size.width else { return x }
        var pen = Pen(x: x, y: y, background: background)
        let (room, overflow) = size.width.subtractingReportingOverflow(x)
        guard let maxWidth, overflow || maxWidth <= room, !fitsPlainly(spans, in: maxWidth) else {
            for span in spans where pen.x < size.width { write(span, with: &pen) }
            return pen.x
        }
        for piece in cut(spans, to: maxWidth) {
            pen.style(like: spans[piece.span])
            write(piece.cluster, with: &pen)
        }
        return pen.x
    }

    private func fitsPlainly(_ spans: [Span], in columns: Int) -> Bool {
        var left = max(-1, columns)
        for span in spans {
            left -= span.text.utf8.count
            if left < 0 || !DisplayText.isPrintableASCII(span.text) { return false }
        }
        return true
    }

    /// The signs that fit, each with the span it is of; the last one `…` when some did not.
    private func cut(_ spans: [Span], to columns: Int) -> [(cluster: DisplayCluster, span: Int)] {
        guard columns > 0 else { return [] }
        var kept: [(cluster: DisplayCluster, span: Int)] = []
        var width = 0
        for (index, span) in spans.enumerated() {
            for cluster in DisplayClusters(span.text, glyphs: glyphs) {
                if width + cluster.width <= columns {
                    kept.append((cluster, index))
                    width += cluster.width
                    continue
                }
                var owner = index
                while width > columns - 1, let last = kept.popLast() {
                    width -= last.cluster.width
                    owner = last.span
                }
                let ellipsis = DisplayClusters(glyphs[.ellipsis]).map { ($0, owner) }
                return kept + ellipsis
            }
        }
        return kept
    }

    private mutating func write(_ span: Span, with pen: inout Pen) {
        pen.style(like: span)
        if span.text.utf8.count <= size.width, DisplayText.isPrintableASCII(span.text) {
            for byte in span.text.utf8 {
                write(DisplayCluster(Unicode.Scalar(byte)), with: &pen)
            }
            return
        }
        for cluster in DisplayClusters(span.text, glyphs: glyphs) {
            if pen.x >= size.width { return }
            write(cluster, with: &pen)
        }
    }

    /// Writes one sign; of a wide one that an edge halves a blank remains.
    private mutating func write(_ cluster: DisplayCluster, with pen: inout Pen) {
        let start = pen.x
        pen.x += cluster.width
        guard start < size.width, pen.x > 0 else { return }
        let isWhole = start >= 0 && pen.x <= size.width
        let x = max(0, start)
        let background = pen.background ?? cells[pen.y * size.width + x].background
        let cell = Cell(
            isWhole ? cluster : DisplayCluster(" "), role: pen.role, background: background,
            emphasis: pen.emphasis)
        if isWhole, cluster.width == 2 {
            setWide(cell, x: x, y: pen.y)
        } else {
            set(cell, x: x, y: pen.y)
        }
    }
}

/// The place and style of the next character.
private struct Pen {
    var x: Int
    let y: Int
    let background: Background?
    var role = Role.text
    var emphasis = false

    init(x: Int, y: Int, background: Background?) {
        self.x = x
        self.y = y
        self.background = background
    }

    mutating func style(like span: Span) {
        role = span.role
        emphasis = span.emphasis
    }
}

extension CellBuffer {
    /// Puts the headings of a table, quiet, each aligned like its column; bold where the table has
    /// the keys.
    package mutating func putHeadings(
        _ columns: Columns, _ frames: [ColumnFrame], x: Int, y: Int,
        background: Background? = nil, isBold: Bool = false
    ) {
        for frame in frames where columns.all.indices.contains(frame.index) {
            let column = columns.all[frame.index]
            put(
                StyledLine(column.heading, .quiet, emphasis: isBold), in: frame,
                alignment: column.alignment,
                x: x, y: y, background: background)
        }
    }

    /// Puts a line into the cell of a table whose left edge is at `x`; it never leaves it.
    package mutating func put(
        _ line: StyledLine, in frame: ColumnFrame, alignment: Column.Alignment, x: Int, y: Int,
        background: Background? = nil
    ) {
        let (start, overflow) = x.addingReportingOverflow(frame.x)
        if overflow { return }
        let indent = alignment == .right ? max(0, frame.width - line.width) : 0
        let indented = indent == 0 ? line : [Span(DisplayText.blanks(indent))] + line
        put(indented, x: start, y: y, background: background, maxWidth: frame.width)
    }
}

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
