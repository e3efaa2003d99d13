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
