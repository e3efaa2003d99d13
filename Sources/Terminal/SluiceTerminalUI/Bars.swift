/// A bar that fills from the left: a countdown or a transfer.
package struct ProgressBar: Hashable, Sendable {
    package enum Style: Hashable, Sendable {
        /// Full blocks and eighths over dots.
        case solid
        /// Dark over light shade, in whole cells.
        case shaded
    }

    /// The filled part, from 0 to 1.
    package var fraction: Double
    /// How many columns the bar takes.
    package var width: Int
    package var style: Style

    /// Makes a bar; a fraction outside 0...1, or none, is brought inside.
    package init(fraction: Double, width: Int, style: Style = .solid) {
        self.fraction = fraction.isNaN ? 0 : min(max(fraction, 0), 1)
        self.width = min(max(0, width), CellBuffer.maximumSize.width)
        self.style = style
    }

    /// The bar, its filled part in the role and the rest faint.
    package func line(_ role: Role, glyphs: GlyphSet = .unicode) -> StyledLine {
        let eighths = style == .solid ? glyphs.eighths : []
        let steps = eighths.count + 1
        let filled = Int(fraction * Double(width * steps) + 0.5)
        var bar = Self.repeating(
            glyphs[style == .solid ? .block : .shade], count: filled / steps)
        if filled % steps > 0 { bar += eighths[filled % steps - 1] }
        let rest = width - (filled + steps - 1) / steps
        let empty = Self.repeating(
            glyphs[style == .solid ? .emptyBlock : .lightShade], count: rest)
        return [Span(bar, role), Span(empty, .faint)]
    }

    static func repeating(_ text: String, count: Int) -> String {
        String(repeating: text, count: max(0, count))
    }
}

/// A row of small columns: the course of a number.
package struct Sparkline: Hashable, Sendable {
    /// The values from the oldest to the newest; negative ones count as zero.
    package var values: [Double]
    /// The value of a full column, or nil for the greatest one shown.
    package var maximum: Double?

    package init(_ values: [Double], maximum: Double? = nil) {
        self.values = values
        self.maximum = maximum
    }

    /// The newest values, one a column, aligned right; any value above zero is visible.
    package func text(width: Int, glyphs: GlyphSet = .unicode) -> String {
        guard width > 0 else { return "" }
        let levels = glyphs.levels
        let shown = values.suffix(width)
        let top = maximum ?? shown.filter(\.isFinite).max() ?? 0
        let columns = shown.map { value -> String in
            guard value > 0, top > 0 else { return levels[0] }
            let part = min(value / top, 1)
            guard part.isFinite else { return levels[levels.count - 1] }
            return levels[max(1, Int(part * Double(levels.count - 1) + 0.5))]
        }
        return DisplayText.blanks(width - columns.count) + columns.joined()
    }
}

/// One bar of several parts, each in proportion to its amount.
package struct StackedBar: Hashable, Sendable {
    package struct Part: Hashable, Sendable {
        /// The amount. Negative values count as zero.
        package var amount: Int
        package var role: Role
        package var letter: Character

        package init(_ amount: Int, _ role: Role, letter: Character = "#") {
            self.amount = max(0, amount)
            self.role = role
            self.letter = letter
        }
    }

    /// The parts from left to right.
    package var parts: [Part]

    package init(_ parts: [Part]) {
        self.parts = parts
    }

    /// The bar in exactly this many columns, or empty when there is nothing to show.
    ///
    /// A part that is not nothing has at least one column while there are enough.
    package func line(width: Int, glyphs: GlyphSet = .unicode) -> StyledLine {
        let widths = widths(width: width)
        return StyledLine(
            zip(parts, widths).filter { $0.1 > 0 }.map { part, columns in
                let sign = glyphs == .ascii ? String(part.letter) : glyphs[.block]
                return Span(ProgressBar.repeating(sign, count: columns), part.role.inBar)
            })
    }

    /// The columns of each part; largest remainders get what rounding left.
    func widths(width: Int) -> [Int] {
        let amounts = parts.map { Double($0.amount) }
        let sum = amounts.reduce(0, +)
        guard width > 0, sum > 0 else { return parts.map { _ in 0 } }
        let exact = amounts.map { $0 / sum * Double(width) }
        var widths = exact.map { $0 > 0 ? max(1, Int($0)) : 0 }
        var surplus = widths.reduce(0, +) - width
        while surplus > 0 {
            guard let index = widths.indices.max(by: { widths[$0] < widths[$1] }) else { break }
            widths[index] -= 1
            surplus -= 1
        }
        let order = exact.indices.filter { exact[$0] > 0 }.sorted {
            exact[$0] - Double(widths[$0]) > exact[$1] - Double(widths[$1])
        }
        for index in order.prefix(max(0, -surplus)) { widths[index] += 1 }
        return widths
    }
}
