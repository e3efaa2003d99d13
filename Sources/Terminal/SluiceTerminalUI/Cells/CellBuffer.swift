/// A picture of the screen in cells. A view creates it, and a terminal shows it.
///
/// All text is sanitised (K11) and clipped. No place, size or text makes it fail.
package struct CellBuffer: Equatable, Sendable {
    /// A larger screen is not drawn to its end.
    package static let maximumSize = Size(width: 2_000, height: 1_000)

    /// The extent.
    package let size: Size
    /// The signs that the screen can show.
    package let glyphs: GlyphSet
    /// The writable part. The whole picture outside of `clipped`.
    package private(set) var clip: Rect
    var cells: [Cell]

    /// Makes a blank buffer, at most of `maximumSize`.
    package init(_ size: Size, glyphs: GlyphSet = .unicode) {
        self.size = Size(
            width: min(size.width, Self.maximumSize.width),
            height: min(size.height, Self.maximumSize.height))
        self.glyphs = glyphs
        clip = Rect(self.size)
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

    /// Lets the body write only inside the rectangle and the clip that stood before.
    package mutating func clipped<Result>(
        to rect: Rect, _ body: (inout CellBuffer) throws -> Result
    ) rethrows -> Result {
        let former = clip
        clip = clip.intersection(rect)
        defer { clip = former }
        return try body(&self)
    }

    /// Fills a rectangle with one sign, or blanks; a wide sign is shown as a blank.
    package mutating func fill(
        _ rect: Rect, with text: String = " ", role: Role = .text, background: Background = .none
    ) {
        let area = rect.intersection(clip)
        guard !area.isEmpty else { return }
        let first = DisplayClusters(text, glyphs: glyphs).first { $0.width == 1 }
        let cell = Cell(first ?? DisplayCluster(" "), role: role, background: background)
        for y in area.y..<area.maxY {
            for x in area.x..<area.maxX { set(cell, x: x, y: y) }
        }
    }

    /// Gives a rectangle a background and leaves its signs.
    package mutating func paint(_ rect: Rect, background: Background) {
        let area = rect.intersection(clip)
        guard !area.isEmpty else { return }
        for y in area.y..<area.maxY {
            for x in area.x..<area.maxX { cells[y * size.width + x].background = background }
        }
    }

    /// Copies a buffer with its upper left at a place.
    package mutating func put(_ other: CellBuffer, at point: Point) {
        let area = Rect(
            x: point.x, y: point.y, width: other.size.width, height: other.size.height
        ).intersection(clip)
        guard !area.isEmpty else { return }
        for y in area.y..<area.maxY {
            for x in area.x..<area.maxX {
                guard let cell = other[x - point.x, y - point.y] else { continue }
                switch cell.width {
                case 1: set(cell, x: x, y: y)
                case 2 where x + 1 < area.maxX: setWide(cell, x: x, y: y)
                case 0 where x > area.x: break
                default: set(cell.emptied(), x: x, y: y)
                }
            }
        }
    }

    /// Writes a cell of width 1 inside the clip; a wide sign that it halves becomes blank.
    mutating func set(_ cell: Cell, x: Int, y: Int) {
        let index = y * size.width + x
        let former = cells[index]
        if former.width == 0, x > 0 { cells[index - 1] = cells[index - 1].emptied() }
        if former.width == 2, x + 1 < size.width {
            cells[index + 1] = cells[index + 1].emptied()
        }
        cells[index] = cell
    }

    /// Writes a wide cell and its second half, both inside the clip.
    mutating func setWide(_ cell: Cell, x: Int, y: Int) {
        set(cell.emptied(), x: x, y: y)
        set(Cell(secondHalfOf: cell), x: x + 1, y: y)
        cells[y * size.width + x] = cell
    }
}
