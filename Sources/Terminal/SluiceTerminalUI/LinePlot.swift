/// Several lines on one scale, in braille dots, or ASCII characters. Each line has a distinct
/// shape, so that colour is not needed.
package struct LinePlot {
    package enum Style: Hashable, Sendable {
        case solid, dotted
        /// Filled from the lower edge; zero has no dots.
        case filled
    }
    package struct Line {
        /// Its values, oldest first; `nil` for a gap.
        package var values: [Double?]
        package var role: Role
        package var style: Style
        /// The sign of its columns in ASCII.
        package var sign: String

        package init(_ values: [Double?], _ role: Role, _ style: Style, sign: String) {
            (self.values, self.role, self.style, self.sign) = (values, role, style, sign)
        }
    }
    private let lines: [Line]
    private let top: Double

    /// Lines below an upper edge; a later line covers an earlier one.
    package init(_ lines: [Line], top: Double) { (self.lines, self.top) = (lines, top) }

    /// The bits of the dots of a cell, by column, and by row from above.
    private static let dots: [[UInt32]] = [
        [0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80],
    ]

    /// A piece of a line as a key to it has it.
    package static func sample(_ line: Line, glyphs: GlyphSet) -> String {
        if glyphs == .ascii { return line.sign }
        return switch line.style {
        case .solid: "\u{2812}\u{2812}"
        case .dotted: "\u{2802}\u{2802}"
        case .filled: "\u{28f6}\u{28f6}"
        }
    }

    package func paint(into buffer: inout CellBuffer, _ area: Rect, glyphs: GlyphSet) {
        guard area.width > 0, area.height > 0, top > 0 else { return }
        if glyphs == .ascii { return paintColumns(into: &buffer, area) }
        var cells: [Int: (bits: UInt32, line: Int?)] = [:]
        let (columns, rows) = (area.width * 2, area.height * 4)
        for (number, line) in lines.enumerated() {
            var former: Int?
            for column in 0..<columns {
                guard let row = row(of: line, column, of: columns, rows: rows) else {
                    former = nil
                    continue
                }
                // Zeros are a base line, and leave a cell the colour of another line.
                let isZero = value(of: line, column, of: columns) ?? 0 <= 0
                for y in dots(of: line, column, row, after: former, rows: rows) {
                    let place = (y / 4) * area.width + column / 2
                    let cell = cells[place] ?? (0, nil)
                    let bits = cell.bits | Self.dots[column % 2][y % 4]
                    cells[place] = (bits, isZero ? cell.line : number)
                }
                former = row
            }
        }
        for (cell, found) in cells {
            let sign = Unicode.Scalar(0x2800 + found.bits).map { String($0) } ?? ""
            buffer.put(
                sign, x: area.x + cell % area.width, y: area.y + cell / area.width,
                role: found.line.map { lines[$0].role.inBar } ?? .quiet)
        }
    }

    /// The rows of a column's dots. Steps are joined, so that a solid line has no gap.
    private func dots(
        of line: Line, _ column: Int, _ row: Int, after former: Int?, rows: Int
    ) -> ClosedRange<Int> {
        switch line.style {
        case .solid:
            guard let former, former != row else { return row...row }
            return former < row ? former + 1...row : row...former - 1
        case .dotted: return row...row
        case .filled: return row...rows - 1
        }
    }

    private func paintColumns(into buffer: inout CellBuffer, _ area: Rect) {
        for line in lines {
            for column in 0..<area.width {
                guard let value = value(of: line, column, of: area.width), value > 0,
                    let row = row(of: line, column, of: area.width, rows: area.height)
                else { continue }
                for y in row..<area.height {
                    buffer.put(
                        line.sign, x: area.x + column, y: area.y + y, role: line.role.inBar)
                }
            }
        }
    }

    /// The greatest value of a column's part, to keep each peak.
    private func value(of line: Line, _ column: Int, of columns: Int) -> Double? {
        let count = line.values.count
        guard count > 0 else { return nil }
        let first = column * count / columns
        let end = max(first + 1, (column + 1) * count / columns)
        return line.values[first..<min(end, count)].compactMap(\.self).filter(\.isFinite).max()
    }

    private func row(of line: Line, _ column: Int, of columns: Int, rows: Int) -> Int? {
        guard let value = value(of: line, column, of: columns) else { return nil }
        if line.style == .dotted, column % 2 == 1, columns > line.values.count { return nil }
        if line.style == .filled, value <= 0 { return nil }
        let part = min(1, max(0, value / top))
        return rows - 1 - Int((part * Double(rows - 1)).rounded())
    }
}
