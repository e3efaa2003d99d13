import SluiceTerminalUI

/// A table of words and numbers in aligned columns, for people.
struct TextTable: Hashable, Sendable {
    /// A column: its heading and the side on which its values stand.
    struct Column: Hashable, Sendable {
        /// The heading.
        var heading: String
        /// Whether values stand at the right, as numbers do.
        var isNumeric: Bool
        /// The most columns that a value takes.
        var limit: Int

        /// A column of words.
        static func words(_ heading: String, limit: Int = 60) -> Column {
            Column(heading: heading, isNumeric: false, limit: limit)
        }

        /// A column of numbers.
        static func numbers(_ heading: String) -> Column {
            Column(heading: heading, isNumeric: true, limit: 24)
        }
    }
    /// The columns.
    let columns: [Column]
    /// The values, a row for each line; raw, they are made visible here.
    var rows: [[String]] = []

    /// A table without rows.
    init(_ columns: [Column]) { self.columns = columns }

    /// The headings and the rows; nothing where there are no rows.
    var lines: [String] {
        guard !rows.isEmpty else { return [] }
        let all = [columns.map(\.heading)] + rows
        let widths = columns.indices.map { index in
            min(
                columns[index].limit,
                all.map { DisplayText.width($0[index], in: .lines) }.max() ?? 0)
        }
        return all.map { line($0, widths) }
    }

    private func line(_ row: [String], _ widths: [Int]) -> String {
        let cells = columns.indices.map { index in
            columns[index].isNumeric
                ? DisplayText.paddedLeft(row[index], to: widths[index], in: .lines)
                : DisplayText.paddedRight(row[index], to: widths[index], in: .lines)
        }
        var text = cells.joined(separator: "  ")
        while text.last == " " { text.removeLast() }
        return text
    }
}
