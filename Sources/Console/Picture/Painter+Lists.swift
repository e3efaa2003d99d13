import QueueControl
import QueueModel
import TerminalUI

/// Views 4 and 6: what happened in the queue, and who works.
extension Painter {
    mutating func paintActivityView() {
        let entries = state.scene?.activity ?? []
        guard !entries.isEmpty else {
            let isServed = !(state.scene?.runners.isEmpty ?? true)
            return putEmpty(
                "Nothing has happened in this queue yet.",
                isServed
                    ? "s runs one task of it; w says why another waits."
                    : "It runs where a runner is attached:",
                command: isServed ? nil : "work --handlers FILE")
        }
        let window = state.cursors[.activity]?.window ?? ScrollWindow(height: layout.rowsHeight)
        let visible = window.visible.clamped(to: 0..<entries.count)
        let words = entries[visible].map { EntryWords($0, names: state.names) }
        let widths = entryWidths(words, width: contentWidth)
        buffer.put("time", x: contentX, y: layout.headingsY, role: .quiet)
        buffer.put("task", x: contentX + widths.time + 2, y: layout.headingsY, role: .quiet)
        for index in visible {
            let y = layout.rows.y + index - window.visible.lowerBound
            guard y < layout.rows.maxY else { break }
            if index == window.cursor { paintSelection(y: y) }
            paintEntry(
                words[index - visible.lowerBound], x: contentX, y: y, width: contentWidth,
                widths, withQueue: false)
        }
    }

    mutating func paintRunners() {
        let runners = state.scene?.runners ?? []
        guard !runners.isEmpty else {
            return putEmpty(
                "No runner is attached, so nothing runs by itself.", "In another terminal:",
                command: "work --handlers FILE")
        }
        let host = runners.map { DisplayText.width($0.process.host) }.max() ?? 6
        let columns = Columns(
            [
                Column("runner", alignment: .right, minimum: 6, maximum: 9, priority: 9),
                Column("host", minimum: 6, ideal: host, maximum: 20, priority: 6),
                Column("pid", alignment: .right, minimum: 6, maximum: 9, priority: 5),
                Column("slots", alignment: .right, minimum: 5, maximum: 7, priority: 8),
                Column("network", minimum: 7, ideal: 9, maximum: 12, priority: 6),
                Column("since", alignment: .right, minimum: 5, maximum: 11, priority: 3),
                Column("types", minimum: 10, ideal: 16, maximum: 40, priority: 4, isFlexible: true),
                Column(
                    "in hand", minimum: 10, ideal: 24, maximum: 90, priority: 7, isFlexible: true),
            ], gap: 2)
        let frames = columns.layout(width: contentWidth)
        buffer.putHeadings(columns, frames, x: contentX, y: layout.headingsY)
        let window = state.cursors[.runners]?.window ?? ScrollWindow(height: layout.rowsHeight)
        for index in window.visible.clamped(to: 0..<runners.count) {
            let y = layout.rows.y + index - window.visible.lowerBound
            guard y < layout.rows.maxY else { break }
            if index == window.cursor { paintSelection(y: y) }
            for frame in frames {
                buffer.put(
                    cell(frame.index, runners[index]), in: frame,
                    alignment: columns.all[frame.index].alignment, x: contentX, y: y)
            }
        }
    }

    private func cell(_ column: Int, _ runner: RunnerLine) -> StyledLine {
        let process = runner.process
        switch column {
        case 0: return StyledLine("\(process.id)", .title, emphasis: true)
        case 1: return StyledLine(process.host)
        case 2: return StyledLine("\(process.pid)")
        case 3: return StyledLine("\(runner.tasks.count)/\(process.slots)")
        case 4: return network(process)
        case 5: return StyledLine(clock.age(process.attachedAt), .quiet)
        case 6: return StyledLine(process.handledNames?.joined(separator: ", ") ?? "every type")
        default:
            if process.isStopping { return StyledLine("stopping", .time) }
            guard !runner.tasks.isEmpty else { return StyledLine("waits for work", .quiet) }
            let names = runner.tasks.map { task in
                let time = task.running.map { " \(clock.lasting(since: $0.since))" } ?? ""
                return "\(state.names.name(task.id)) \(task.type)\(time)"
            }
            return StyledLine(names.joined(separator: ", "), .running)
        }
    }

    private func network(_ process: ProcessRecord) -> StyledLine {
        if let forced = state.scene?.forcedNetwork {
            return StyledLine("\(forced ? "on" : "off") (forced)", .time)
        }
        if let cause = process.offlineCause(at: clock.now) {
            return StyledLine(cause.briefly, .time)
        }
        return StyledLine("on", .quiet)
    }
}
