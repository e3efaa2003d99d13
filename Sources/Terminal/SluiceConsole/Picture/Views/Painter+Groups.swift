import SluiceControl
import SluiceModel
import SluiceStore
import SluiceTerminalUI

/// View 2: groups with their starts, and what each holds back.
extension Painter {
    mutating func paintGroups() {
        guard let scene = state.scene else { return }
        guard !state.isAll else {
            return putEmpty(
                "Groups are shown of one queue.", "h goes to the queues, j to the next of them.",
                command: nil)
        }
        guard !scene.groups.isEmpty else {
            return putEmpty(
                "No task of \(scene.selected ?? "the store") starts or belongs to a group.",
                isForeign
                    ? "Groups are of this program's own stores."
                    : "A group's members wait for its start:",
                command: isForeign ? nil : "enqueue QUEUE TYPE --group-start NAME")
        }
        let rows = scene.groupRows
        let name = rows.map { treeCell($0, isSelected: false).width }.max() ?? 14
        let columns = Columns(
            [
                Column(
                    "  group", minimum: 14, ideal: min(name, 44), maximum: 60, priority: 9,
                    isFlexible: true),
                Column("tasks", alignment: .right, minimum: 5, maximum: 9, priority: 5),
                Column("held", alignment: .right, minimum: 5, maximum: 9, priority: 7),
                Column("state", minimum: 14, ideal: 36, maximum: 60, priority: 8, isFlexible: true),
            ], gap: contentWidth >= 60 ? 2 : 1)
        let frames = columns.layout(width: contentWidth)
        buffer.putHeadings(
            columns, frames, x: contentX, y: layout.headingsY, isBold: hasKeys)
        let window = state.cursors[.groups]?.window ?? ScrollWindow(height: layout.rowsHeight)
        for index in window.visible.clamped(to: 0..<rows.count) {
            let y = layout.rows.y + index - window.visible.lowerBound
            guard y < layout.rows.maxY else { break }
            if index == window.cursor { paintCursor(y: y) }
            for frame in frames {
                buffer.put(
                    groupCell(frame, rows[index], isSelected: index == window.cursor),
                    in: frame, alignment: columns.all[frame.index].alignment, x: contentX, y: y)
            }
        }
    }

    private func groupCell(
        _ frame: ColumnFrame, _ row: GroupRow, isSelected: Bool
    ) -> StyledLine {
        let group = row.group.flatMap { state.scene?.groups[$0] }
        switch frame.index {
        case 0: return treeCell(row, isSelected: isSelected)
        case 1:
            guard let group else { return StyledLine() }
            return Self.number(group.summary.members + group.summary.starts.count)
        case 2:
            guard let group else { return StyledLine() }
            return StyledLine(NumberText.grouped(group.held), group.held == 0 ? .quiet : .held)
        default:
            guard let line = row.line else { return startCell(group, width: frame.width) }
            let holds = row.holds > 0 && group == nil
            let words = words(line).state(width: frame.width)
            return holds ? words + StyledLine(", holds \(row.holds) more", .held) : words
        }
    }

    /// The state of a group's start.
    private func startCell(_ group: GroupLine?, width: Int) -> StyledLine {
        guard let group else { return StyledLine() }
        guard let start = group.start else { return StyledLine("no start", .quiet) }
        let words = words(start)
        if group.isOpen == true { return StyledLine() }
        let lead = "\(state.names.name(start.task.id)) \(start.task.type)\(separator)"
        return [Span(lead, words.role)]
            + words.state(width: max(0, width - DisplayText.width(lead)))
    }

    private func treeCell(_ row: GroupRow, isSelected: Bool) -> StyledLine {
        let group = row.group.flatMap { state.scene?.groups[$0] }
        let sign = group.map { glyphs[$0.isOpen == true ? .expanded : .collapsed] } ?? ""
        guard row.place != .root else {
            guard let group else { return StyledLine("  more groups are not shown", .quiet) }
            return [
                Span("\(sign) ", .quiet),
                Span(group.summary.name, isSelected ? .title : .text, emphasis: true),
            ]
        }
        let rails = row.rails.map { "\($0 ? glyphs[.groupMiddle] : " ")   " }.joined()
        let branch = glyphs[row.place.glyph]
        var text = StyledLine("    \(rails)\(branch) ", .held)
        guard let line = row.line else {
            text.append("and \(NumberText.grouped(row.rest)) more", .held)
            return text
        }
        let name = "\(state.names.name(line.task.id)) \(line.task.type)"
        text.append(name, words(line).role)
        if row.place != .first, let starts = line.task.groupStart {
            text.append(" \(group == nil ? glyphs[.collapsed] : sign) \(starts)", .held)
        }
        return text
    }
}

extension GroupRow.Place {
    fileprivate var glyph: Glyph {
        switch self {
        case .root, .first: .groupStart
        case .middle: .groupBranch
        case .last: .groupEnd
        }
    }
}
