import SluiceControl
import SluiceModel
import SluiceTerminalUI

/// A column of the inventory: its condition, its widths and its cells.
struct InventoryColumn: Sendable {
    /// A row of the list as its cells need it.
    struct Row {
        let line: TaskLine
        let words: TaskWords
        /// Its place in the page.
        let index: Int
        let isSelected: Bool

        var task: QueueTask { line.task }
        var role: Role { isSelected ? .title : .text }
    }

    /// The name that a person chooses, or `nil` for the first two columns, which are always
    /// visible.
    let name: InventoryColumns.Name?
    /// Heading and widths; nil where the column is not shown.
    let column: @Sendable (borrowing Painter) -> Column?
    /// The content of a cell of the given width.
    let cell: @Sendable (borrowing Painter, Row, _ width: Int) -> StyledLine

    /// From left to right. Where room is scarce the lowest priority goes first.
    static let all: [InventoryColumn] = [
        InventoryColumn(nil) { _ in
            Column("", minimum: 1, priority: 20)
        } cell: { painter, row, _ in
            painter.mark(row.line, row.words)
        },
        InventoryColumn(nil) { painter in
            Column("task", alignment: .right, minimum: max(4, painter.idDigits), priority: 19)
        } cell: { painter, row, _ in
            StyledLine(painter.bare(row.task.id), row.role)
        },
        InventoryColumn(.queue) { painter in
            guard painter.state.isAll else { return nil }
            let width = painter.state.list.measure.queue
            return Column(
                "queue", minimum: min(max(width, 5), 8), ideal: min(max(width, 5), 16),
                maximum: 24, priority: 17)
        } cell: { _, row, _ in
            StyledLine(row.task.queue, .quiet)
        }.withHits,
        InventoryColumn(.type) { painter in
            let type = painter.state.list.measure.type
            return Column(
                "type", minimum: min(max(type, 4), 8), ideal: min(max(type, 8), 20), maximum: 24,
                priority: 18)
        } cell: { painter, row, width in
            let type = TypeText.fitting(
                row.task.type, width: width, painter.state.list.measure.typePrefix,
                glyphs: painter.glyphs)
            return StyledLine(type, row.role, emphasis: row.isSelected)
        }.withHits,
        InventoryColumn(.group) { painter in
            let measure = painter.state.list.measure
            guard measure.hasGroups else { return nil }
            return Column(
                "  group", minimum: min(8, max(7, measure.group + 2)),
                ideal: min(measure.group + 2, 18), maximum: 22, priority: 8)
        } cell: { painter, row, width in
            painter.groupCell(row.index, width: width)
        }.withHits,
        InventoryColumn(.priority) { painter in
            painter.priorityColumn
        } cell: { painter, row, _ in
            painter.priority(row.task)
        },
        InventoryColumn(.need) { painter in
            // Hide the column if the list contains no required task.
            painter.state.list.measure.hasRequired
                ? Column("need", minimum: 8, maximum: 8, priority: 7) : nil
        } cell: { _, row, _ in
            // Highlight required tasks: dismissing one stops its queue (Q6).
            row.task.isRequired
                ? StyledLine("required", .text) : StyledLine("optional", .quiet)
        },
        InventoryColumn(.tries) { _ in
            Column("tries", alignment: .right, minimum: 5, maximum: 8, priority: 6)
        } cell: { painter, row, _ in
            if painter.state.scene?.uncounted.contains(row.task.id) == true {
                return StyledLine()
            }
            let limit =
                painter.settings(of: row.task)?.attemptLimit(of: row.task) ?? row.task.attemptLimit
            return StyledLine(
                TaskWords.tries(row.task.attempts, limit), row.task.attempts == 0 ? .quiet : .text)
        },
        InventoryColumn(.state) { painter in
            // The about column takes the width that the longest states leave.
            Column(
                "state", minimum: 15, ideal: 17, maximum: painter.state.list.measure.state,
                priority: 16, isFlexible: true)
        } cell: { _, row, width in
            row.words.state(width: width)
        }.withHits,
        InventoryColumn(.took) { painter in
            // Errors and what tasks are about tell more than times.
            let hasRoom =
                painter.contentWidth >= 90 || painter.state.columns != .standard
                || painter.state.order == .duration
            return hasRoom && painter.state.list.measure.hasTimes
                ? Column("took", alignment: .right, minimum: 7, maximum: 9, priority: 2) : nil
        } cell: { _, row, _ in
            StyledLine(row.line.took.map(DurationText.taken) ?? "", .quiet)
        },
        InventoryColumn(.about) { painter in
            // On a wide screen other columns give way to it sooner.
            let needed = painter.state.list.measure.about
            let shortest = painter.contentWidth >= 90 ? max(12, min(needed, 20)) : 12
            return painter.state.list.page.about.isEmpty
                ? nil
                : Column(
                    "about", minimum: shortest, ideal: 24, maximum: needed, priority: 5,
                    isFlexible: true)
        } cell: { painter, row, width in
            let about = painter.state.list.page.about[row.task.id] ?? ""
            let folder = painter.state.list.measure.folder
            return StyledLine(
                AboutText.fitting(about, width: width, folder, glyphs: painter.glyphs), .quiet)
        }.withHits,
        InventoryColumn(.age) { painter in
            // The about column is more useful than the age.
            (painter.state.columns == .standard && !painter.state.list.page.about.isEmpty
                && painter.contentWidth < 84) || !painter.state.list.measure.hasAges
                ? nil
                : Column("age", alignment: .right, minimum: 4, ideal: 5, maximum: 11, priority: 3)
        } cell: { painter, row, _ in
            StyledLine(painter.clock.age(row.task.createdAt), .quiet)
        },
        InventoryColumn(.changed) { painter in
            painter.state.list.measure.hasAges
                ? Column("changed", alignment: .right, minimum: 7, maximum: 11, priority: 2) : nil
        } cell: { painter, row, _ in
            StyledLine(painter.clock.real.age(row.task.updatedAt), .quiet)
        },
        InventoryColumn(.label) { _ in
            Column("label", minimum: 6, ideal: 12, maximum: 24, priority: 4)
        } cell: { _, row, _ in
            StyledLine(row.task.label ?? "")
        }.withHits,
        InventoryColumn(.session) { _ in
            Column("session", minimum: 7, ideal: 10, maximum: 24, priority: 4)
        } cell: { _, row, _ in
            StyledLine(row.task.session ?? "", .quiet)
        }.withHits,
    ]

    /// The chosen columns, from left to right.
    static func all(_ wanted: InventoryColumns) -> [InventoryColumn] {
        all.filter { $0.name == nil }
            + wanted.shown.compactMap { name in all.first { $0.name == name } }
    }

    private init(
        _ name: InventoryColumns.Name?,
        column: @escaping @Sendable (borrowing Painter) -> Column?,
        cell: @escaping @Sendable (borrowing Painter, Row, _ width: Int) -> StyledLine
    ) {
        (self.name, self.column, self.cell) = (name, column, cell)
    }
}

extension InventoryColumn {
    /// The same column with the matches of the filter highlighted in its cells.
    fileprivate var withHits: InventoryColumn {
        let cell = cell
        return InventoryColumn(name, column: column) { painter, row, width in
            let line = cell(painter, row, width)
            guard let hits = painter.state.list.filter?.hits, !hits.isEmpty else { return line }
            return line.marking(hits)
        }
    }
}

extension StyledLine {
    /// The same with some letters, of any case, marked.
    func marking(_ hits: [FoldedLetters]) -> StyledLine {
        StyledLine(
            spans.flatMap { span -> [Span] in
                let letters = Array(span.text)
                var isHit = Array(repeating: false, count: letters.count)
                for hit in hits {
                    for place in hit.ranges(in: span.text).joined() { isHit[place] = true }
                }
                guard isHit.contains(true) else { return [span] }
                var pieces: [Span] = []
                var start = 0
                for place in letters.indices.dropFirst() + [letters.count] {
                    guard place == letters.count || isHit[place] != isHit[start] else { continue }
                    let text = String(letters[start..<place])
                    pieces.append(
                        isHit[start]
                            ? Span(text, .key, emphasis: true)
                            : Span(text, span.role, emphasis: span.emphasis))
                    start = place
                }
                return pieces
            })
    }
}

/// The columns that fit, and their positions.
struct InventoryTable {
    let shown: [InventoryColumn]
    let columns: Columns
    let frames: [ColumnFrame]

    init(shown: [InventoryColumn], columns: Columns, width: Int) {
        (self.shown, self.columns) = (shown, columns)
        frames = columns.layout(width: width)
    }

    /// The columns that there is no room for.
    var withoutRoom: Set<InventoryColumns.Name> {
        let seen = Set(frames.map(\.index))
        return Set(shown.indices.filter { !seen.contains($0) }.compactMap { shown[$0].name })
    }
}
