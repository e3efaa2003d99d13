package struct Column: Hashable, Sendable {
    /// The alignment of a column's text.
    package enum Alignment: Hashable, Sendable {
        case left
        case right
    }

    /// The quiet word above it.
    package var heading: String
    package var alignment: Alignment
    /// The column disappears below this width in cells.
    package var minimum: Int
    /// The width of the content.
    package var ideal: Int
    package var maximum: Int
    /// The columns with the lowest number disappear first when room is scarce.
    package var priority: Int
    /// Whether it takes leftover width, up to its maximum.
    package var isFlexible: Bool

    /// Makes a column; `ideal` is at least the minimum and at most the maximum.
    package init(
        _ heading: String, alignment: Alignment = .left, minimum: Int, ideal: Int? = nil,
        maximum: Int = .max, priority: Int = 0, isFlexible: Bool = false
    ) {
        self.heading = heading
        self.alignment = alignment
        self.minimum = max(0, minimum)
        self.maximum = max(self.minimum, maximum)
        self.ideal = min(max(self.minimum, ideal ?? minimum), self.maximum)
        self.priority = priority
        self.isFlexible = isFlexible
    }
}

/// The position of a laid out column.
package struct ColumnFrame: Hashable, Sendable {
    /// Which column, by its place in `Columns.all`.
    package var index: Int
    /// The first column of cells, from zero at the left of the table.
    package var x: Int
    package var width: Int
}

/// The columns of a table, and their layout rule.
package struct Columns: Hashable, Sendable {
    /// The columns from left to right.
    package var all: [Column]
    /// Blank columns between two of them.
    package var gap: Int

    /// Makes a table of columns.
    package init(_ all: [Column], gap: Int = 1) {
        self.all = all
        self.gap = max(0, gap)
    }

    /// The columns that fit into this width, from left to right.
    ///
    /// While the minima do not fit, the column of lowest priority disappears, the rightmost among
    /// equals. Leftover width goes to the ideals in order of priority, and then to the flexible
    /// columns in equal parts.
    package func layout(width: Int) -> [ColumnFrame] {
        guard width > 0 else { return [] }
        let shown = visible(in: width)
        var widths = Dictionary(uniqueKeysWithValues: shown.map { ($0, all[$0].minimum) })
        if shown.count == 1, let only = shown.first, all[only].minimum > width {
            widths[only] = width
        }
        var left = width - total(of: shown, widths)
        for index in shown.sorted(by: isKeptBefore) {
            let extra = min(left, max(0, all[index].ideal - widths[index, default: 0]))
            widths[index, default: 0] += extra
            left -= extra
        }
        share(left, among: shown.filter { all[$0].isFlexible }, &widths)
        var x = 0
        return shown.map { index in
            let frame = ColumnFrame(index: index, x: x, width: widths[index, default: 0])
            x += frame.width + gap
            return frame
        }
    }

    private func visible(in width: Int) -> [Int] {
        var shown = Array(all.indices)
        while shown.count > 1 {
            let needed = shown.reduce(gap * (shown.count - 1)) {
                $0 + min(all[$1].minimum, 1 << 20)
            }
            guard needed > width, let worst = shown.max(by: isKeptBefore) else { break }
            shown.removeAll { $0 == worst }
        }
        return shown
    }

    private func isKeptBefore(_ left: Int, _ right: Int) -> Bool {
        let (first, second) = (all[left].priority, all[right].priority)
        return first == second ? left < right : first > second
    }

    private func total(of shown: [Int], _ widths: [Int: Int]) -> Int {
        shown.reduce(gap * max(0, shown.count - 1)) { $0 + widths[$1, default: 0] }
    }

    private func share(_ room: Int, among indices: [Int], _ widths: inout [Int: Int]) {
        var left = room
        var open = indices
        while left > 0, !open.isEmpty {
            let part = max(1, left / open.count)
            for index in open where left > 0 {
                let extra = min(part, left, all[index].maximum - widths[index, default: 0])
                widths[index, default: 0] += extra
                left -= extra
            }
            open.removeAll { widths[$0, default: 0] >= all[$0].maximum }
        }
    }
}
