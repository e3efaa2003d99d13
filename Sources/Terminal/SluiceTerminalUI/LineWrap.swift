/// Breaks signs into lines of a width.
struct LineWrap {
    private let columns: Int
    private let limit: Int
    private let glyphs: GlyphSet
    private var lines: [String] = []
    private var isCut = false

    init(columns: Int, limit: Int, glyphs: GlyphSet) {
        (self.columns, self.limit, self.glyphs) = (columns, limit, glyphs)
    }

    var isFull: Bool { isCut }

    mutating func addLine(_ clusters: DisplayClusters) {
        var line: [DisplayCluster] = []
        var width = 0
        for sign in clusters {
            let cluster = sign.width > columns ? DisplayCluster("\u{fffd}") : sign
            if width + cluster.width > columns {
                let isBlank = cluster.base == " "
                line = isBlank ? emitted(line[...]) : breakLine(line)
                width = line.reduce(0) { $0 + $1.width }
                if isCut { return }
                if isBlank { continue }
            }
            line.append(cluster)
            width += cluster.width
        }
        emit(line[...])
    }

    func finished() -> [String] {
        guard isCut, let last = lines.last else { return lines }
        let room = columns - 1
        var kept: [DisplayCluster] = []
        var width = 0
        for cluster in DisplayClusters(last, glyphs: glyphs) where width + cluster.width <= room {
            kept.append(cluster)
            width += cluster.width
        }
        return lines.dropLast() + [DisplayText.joined(kept) + glyphs[.ellipsis]]
    }

    /// Ends the line at its last blank, or at its end without one. Returns the rest for the next
    /// line.
    private mutating func breakLine(_ line: [DisplayCluster]) -> [DisplayCluster] {
        guard let blank = line.lastIndex(where: { $0.base == " " }), blank > 0 else {
            return emitted(line[...])
        }
        emit(line[..<blank])
        return Array(line[(blank + 1)...])
    }

    private mutating func emitted(_ line: ArraySlice<DisplayCluster>) -> [DisplayCluster] {
        emit(line)
        return []
    }

    private mutating func emit(_ line: ArraySlice<DisplayCluster>) {
        if lines.count < limit {
            lines.append(DisplayText.joined(line))
        } else {
            isCut = true
        }
    }
}
