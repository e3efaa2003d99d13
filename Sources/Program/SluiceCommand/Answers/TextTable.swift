import SluiceTerminalUI

/// A table of words and numbers in aligned columns, for people.
struct TextTable<Row> {
    /// A column: its heading, its alignment, and its value for a row.
    struct Column {
        var heading: String
        /// Whether values are right-aligned, as numbers are.
        var isNumeric: Bool
        /// The most columns that a value takes if there is no room for more.
        var limit: Int
        /// Whether a value is never cut to make room for others: times and states.
        var isWhole = false

        /// Whether the table omits the column if another one would be cut otherwise.
        var isExtra = false
        /// Whether the table omits the column if a row would be too long otherwise.
        var isSpare = false
        /// The raw value; the table escapes control characters.
        var value: (Row) -> String

        static func words(
            _ heading: String, limit: Int = 60, _ value: @escaping (Row) -> String
        ) -> Column {
            Column(heading: heading, isNumeric: false, limit: limit, value: value)
        }

        static func numbers(_ heading: String, _ value: @escaping (Row) -> String) -> Column {
            Column(heading: heading, isNumeric: true, limit: 24, isWhole: true, value: value)
        }

        /// A column with words that other commands also show.
        static func extra(_ heading: String, _ value: @escaping (Row) -> String) -> Column {
            Column(heading: heading, isNumeric: false, limit: 60, isExtra: true, value: value)
        }

        /// A column of numbers that a row can do without.
        static func spare(_ heading: String, _ value: @escaping (Row) -> String) -> Column {
            var column = numbers(heading, value)
            column.isSpare = true
            return column
        }

        /// A column of words that mean nothing in part: times, states.
        static func whole(_ heading: String, _ value: @escaping (Row) -> String) -> Column {
            Column(heading: heading, isNumeric: false, limit: 60, isWhole: true, value: value)
        }
    }
    private let columns: [Column]
    private static var gap: Int { 2 }
    /// The minimum width of a column of words.
    private static var least: Int { 6 }

    init(_ columns: [Column]) { self.columns = columns }

    /// The headings and the rows; nothing where there are no rows. In a terminal of `width` columns
    /// the longest words give way until a row fits, and take what room is left over.
    func lines(_ rows: some Collection<Row>, _ width: Int?) -> [String] {
        guard !rows.isEmpty else { return [] }
        return lines(of: rows.map { row in columns.map { $0.value(row) } }, width)
    }

    private func lines(of rows: [[String]], _ width: Int?) -> [String] {
        let all = [columns.map(\.heading)] + rows
        let natural = columns.indices.map { index in
            all.map { DisplayText.width($0[index], in: .lines) }.max() ?? 0
        }
        let wanted = zip(columns, natural).map { min($0.limit, $1) }
        var widths = wanted
        if let width {
            let room = width - Self.gap * (columns.count - 1)
            fit(&widths, natural, in: room)
            if widths.reduce(0, +) > room, let spare = columns.lastIndex(where: \.isSpare) {
                return lines(of: rows, width) { $0 == spare }
            }
        }
        let isCut = columns.indices.contains { !columns[$0].isExtra && widths[$0] < wanted[$0] }
        guard isCut, columns.contains(where: \.isExtra) else {
            return all.map { line($0, widths) }
        }
        return lines(of: rows, width) { columns[$0].isExtra }
    }

    /// The same with the other columns alone.
    private func lines(
        of rows: [[String]], _ width: Int?, without isLeftOut: (Int) -> Bool
    ) -> [String] {
        let kept = columns.indices.filter { !isLeftOut($0) }
        return TextTable(kept.map { columns[$0] })
            .lines(of: rows.map { row in kept.map { row[$0] } }, width)
    }

    private func fit(_ widths: inout [Int], _ natural: [Int], in room: Int) {
        let floors = columns.map { column in
            column.isWhole ? Int.max : max(Self.least, DisplayText.width(column.heading))
        }
        var excess = widths.reduce(0, +) - room
        while excess > 0 {
            let longest = widths.indices.filter { widths[$0] > floors[$0] }.max {
                widths[$0] < widths[$1]
            }
            guard let longest else { break }
            widths[longest] -= 1
            excess -= 1
        }
        // The last columns say the most: errors, notes.
        for index in widths.indices.reversed() where excess < 0 {
            let more = min(natural[index] - widths[index], -excess)
            widths[index] += more
            excess += more
        }
    }

    private func line(_ row: [String], _ widths: [Int]) -> String {
        let cells = columns.indices.map { index in
            columns[index].isNumeric
                ? DisplayText.paddedLeft(row[index], to: widths[index], in: .lines)
                : DisplayText.paddedRight(row[index], to: widths[index], in: .lines)
        }
        var text = cells.joined(separator: String(repeating: " ", count: Self.gap))
        while text.last == " " { text.removeLast() }
        return text
    }
}
