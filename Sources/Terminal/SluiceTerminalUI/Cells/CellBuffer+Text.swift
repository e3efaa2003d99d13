extension CellBuffer {
    /// Puts a text at a place and returns the column after it.
    ///
    /// A text longer than `maxWidth` ends in `…`. The edge of the clip cuts it without a sign.
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
        guard y >= clip.y, y < clip.maxY, x < clip.maxX else { return x }
        var pen = Pen(x: x, y: y, background: background)
        let (room, overflow) = clip.maxX.subtractingReportingOverflow(x)
        guard let maxWidth, overflow || maxWidth <= room, !fitsPlainly(spans, in: maxWidth) else {
            for span in spans where pen.x < clip.maxX { write(span, with: &pen) }
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
            if pen.x >= clip.maxX { return }
            write(cluster, with: &pen)
        }
    }

    /// Writes one sign; of a wide one that the clip halves a blank remains.
    private mutating func write(_ cluster: DisplayCluster, with pen: inout Pen) {
        let start = pen.x
        pen.x += cluster.width
        guard start < clip.maxX, pen.x > clip.x else { return }
        let isWhole = start >= clip.x && pen.x <= clip.maxX
        let x = isWhole ? start : (start < clip.x ? clip.x : start)
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
