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
                "A group's members wait for its start:",
                command: "enqueue QUEUE TYPE --group-start NAME")
        }
        let name = scene.groups.map { DisplayText.width($0.summary.name) + 2 }.max() ?? 14
        let columns = Columns(
            [
                Column(
                    "  group", minimum: 14, ideal: min(name, 30), maximum: 60, priority: 9,
                    isFlexible: true),
                Column("tasks", alignment: .right, minimum: 5, maximum: 9, priority: 5),
                Column("held", alignment: .right, minimum: 5, maximum: 9, priority: 7),
                Column("start", minimum: 14, ideal: 36, maximum: 60, priority: 8, isFlexible: true),
            ], gap: contentWidth >= 60 ? 2 : 1)
        let frames = columns.layout(width: contentWidth)
        buffer.putHeadings(
            columns, frames, x: contentX, y: layout.headingsY, isBold: hasKeys)
        let rows = scene.groups.flatMap { group in
            [GroupRow(group: group, member: nil)]
                + group.members.indices.map { GroupRow(group: group, member: $0) }
        }
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

    /// A group, or one of its unfolded members.
    private struct GroupRow {
        var group: GroupLine
        var member: Int?
    }

    private func groupCell(
        _ frame: ColumnFrame, _ row: GroupRow, isSelected: Bool
    ) -> StyledLine {
        if let member = row.member { return memberCell(frame.index, row.group, member) }
        let group = row.group
        switch frame.index {
        case 0:
            let isOpen = state.openGroups.contains(group.summary.name)
            return [
                Span("\(glyphs[isOpen ? .expanded : .collapsed]) ", .quiet),
                Span(group.summary.name, isSelected ? .title : .text, emphasis: true),
            ]
        case 1: return Self.number(group.summary.members + group.summary.starts.count)
        case 2: return StyledLine("\(group.held)", group.held == 0 ? .quiet : .held)
        default:
            guard let start = group.start else { return StyledLine("no start", .quiet) }
            let words = words(start)
            let lead = "\(state.names.name(start.task.id)) \(start.task.type)\(separator)"
            return [Span(lead, words.role)]
                + words.state(width: max(0, frame.width - DisplayText.width(lead)))
        }
    }

    private func memberCell(_ column: Int, _ group: GroupLine, _ index: Int) -> StyledLine {
        let member = group.members[index]
        let words = words(member.line)
        switch column {
        case 0:
            let isLast = index == group.members.count - 1
            var text = StyledLine("    \(glyphs[isLast ? .groupEnd : .groupBranch]) ", .held)
            text.append(
                "\(state.names.name(member.line.task.id)) \(member.line.task.type)", words.role)
            if let starts = member.line.task.groupStart {
                text.append(" \(glyphs[.collapsed]) \(starts)", .held)
            }
            return text
        case 3:
            guard member.holds > 0 else { return words.state() }
            return words.state() + StyledLine(", holds \(member.holds) more", .held)
        default: return StyledLine()
        }
    }
}
