import SluiceControl
import SluiceModel
import SluiceStore
import SluiceTerminalUI

/// Views 4 and 6: the log and the workers.
extension Painter {
    mutating func paintActivityView() {
        let entries = state.scene?.activity ?? []
        let search = state.logShown
        guard !entries.isEmpty else {
            if let search {
                let log = state.isAll ? "the log" : "this queue's log"
                return putEmpty(
                    "No line of \(log) matches \(search.text).",
                    "Esc takes the filter away, / changes it.", command: nil)
            }
            let isServed =
                !(state.scene?.runners.isEmpty ?? true) || state.scene?.workers != .listed
            return putEmpty(
                state.isAll
                    ? "Nothing has happened yet." : "Nothing has happened in this queue yet.",
                isServed
                    ? "s runs one task of it; w says why another waits."
                    : "It runs where a worker is attached\(isForeign ? "." : ":")",
                command: isServed || isForeign ? nil : "work --handlers FILE")
        }
        let window = state.cursors[.activity]?.window ?? ScrollWindow(height: layout.rowsHeight)
        let visible = window.visible.clamped(to: 0..<entries.count)
        let words = entries[visible].map { EntryText($0, names: state.names) }
        let widths = entryWidths(words, width: contentWidth)
        let queueWidth = state.isAll ? (contentWidth >= 76 ? 11 : 9) : 0
        let taskX = contentX + widths.time + 2 + queueWidth
        var headings = [("time", contentX), ("task", taskX)]
        if state.isAll { headings.append(("queue", contentX + widths.time + 2)) }
        if state.showsDetail { headings.append(("in detail", taskX + widths.task + 1)) }
        for (word, x) in headings {
            buffer.put(word, x: x, y: layout.headingsY, role: .quiet, emphasis: hasKeys)
        }
        for index in visible {
            let y = layout.rows.y + index - window.visible.lowerBound
            guard y < layout.rows.maxY else { break }
            if index == window.cursor { paintCursor(y: y) }
            paintEntry(
                words[index - visible.lowerBound], x: contentX, y: y, width: contentWidth,
                widths, withQueue: state.isAll, marking: search?.filter.words ?? [])
        }
        if layout.isRoomy {
            buffer.put(
                logStatus, x: contentX, y: layout.rows.y + visible.count, role: .quiet,
                maxWidth: contentWidth)
        }
    }

    /// The active filter of the log; empty without one.
    var logStatus: String {
        guard let search = state.logShown, let scene = state.scene else { return "" }
        return "\(scene.activityWords)\(separator)only \(search.text)"
    }

    /// Whether the queues are another system's, which no command of this program serves.
    var isForeign: Bool { state.scene?.names.isForeign ?? false }

    mutating func paintRunners() {
        let runners = state.scene?.runners ?? []
        guard !runners.isEmpty else {
            if let scene = state.scene, scene.workers != .listed {
                guard case .unlisted(let systems) = scene.workers else { return }
                return putEmpty(
                    "The workers are not known.", "\(systems) keeps no list of them.",
                    command: nil)
            }
            return putEmpty(
                "No worker is attached, so nothing starts.",
                isForeign ? "Its own system starts them." : "In another terminal:",
                command: isForeign ? nil : "work --handlers FILE")
        }
        let kinds = runnerColumns(runners)
        let columns = Columns(kinds.map { column($0, runners) }, gap: 2)
        let frames = columns.layout(width: contentWidth)
        buffer.putHeadings(
            columns, frames, x: contentX, y: layout.headingsY, isBold: hasKeys)
        let window = state.cursors[.runners]?.window ?? ScrollWindow(height: layout.rowsHeight)
        for index in window.visible.clamped(to: 0..<runners.count) {
            let y = layout.rows.y + index - window.visible.lowerBound
            guard y < layout.rows.maxY else { break }
            if index == window.cursor { paintCursor(y: y) }
            for frame in frames {
                buffer.put(
                    cell(kinds[frame.index], runners[index]), in: frame,
                    alignment: columns.all[frame.index].alignment, x: contentX, y: y)
            }
        }
        guard let frame = frames.first(where: { kinds[$0.index] == .inFlight }),
            runners.indices.contains(window.cursor)
        else { return }
        let running = cell(.inFlight, runners[window.cursor])
        guard running.width > frame.width else { return }
        paintRunning(running, y: layout.rows.y + window.visible.count + 1)
    }

    /// The tasks of the chosen worker, where its row cuts them.
    private mutating func paintRunning(_ tasks: StyledLine, y: Int) {
        for (row, line) in tasks.wrapped(to: contentWidth, glyphs: glyphs).enumerated()
        where y + row < layout.rows.maxY {
            buffer.put(line, x: contentX, y: y + row, maxWidth: contentWidth)
        }
    }

    private enum RunnerColumn: CaseIterable {
        case number, host, pid, slots, network, since, queues, types, inFlight
    }

    /// The network has a column if a worker is offline or forced, the queues if a worker leaves
    /// some out.
    private func runnerColumns(_ runners: [RunnerLine]) -> [RunnerColumn] {
        let isUsual =
            state.scene?.forcedNetwork == nil
            && !runners.contains { $0.process.isOffline(at: clock.now) }
        let servesAll = !runners.contains { $0.process.queues != nil }
        return RunnerColumn.allCases.filter {
            ($0 != .network || !isUsual) && ($0 != .queues || !servesAll)
        }
    }

    private func column(_ kind: RunnerColumn, _ runners: [RunnerLine]) -> Column {
        func width(_ text: (ProcessRecord) -> String) -> Int {
            runners.map { DisplayText.width(text($0.process)) }.max() ?? 6
        }
        switch kind {
        case .number:
            return Column("worker", alignment: .right, minimum: 6, maximum: 9, priority: 9)
        case .host:
            return Column("host", minimum: 6, ideal: width(\.host), maximum: 20, priority: 6)
        case .pid: return Column("pid", alignment: .right, minimum: 6, maximum: 9, priority: 5)
        case .slots: return Column("slots", alignment: .right, minimum: 5, maximum: 7, priority: 8)
        case .network:
            return Column("network", minimum: max(7, width { network($0).text }), priority: 8)
        case .since: return Column("since", alignment: .right, minimum: 5, maximum: 11, priority: 3)
        case .queues:
            let widest = min(width { Self.queues(of: $0) }, 60)
            return Column("queues", minimum: 10, ideal: widest, maximum: 60, priority: 5)
        case .types:
            let widest = min(width { Self.types(of: $0) }, 60)
            return Column("types", minimum: 10, ideal: widest, maximum: 60, priority: 4)
        case .inFlight:
            return Column(
                "running", minimum: 10, ideal: 24, maximum: 90, priority: 7, isFlexible: true)
        }
    }

    private func cell(_ column: RunnerColumn, _ runner: RunnerLine) -> StyledLine {
        let process = runner.process
        switch column {
        case .number: return StyledLine("\(process.id)", .title, emphasis: true)
        case .host: return StyledLine(process.host)
        case .pid: return StyledLine(process.pid > 0 ? "\(process.pid)" : "")
        case .slots:
            let slots = process.slots > 0 ? "/\(process.slots)" : ""
            return StyledLine("\(runner.tasks.count)\(slots)")
        case .network: return network(process)
        case .since: return StyledLine(clock.real.age(process.attachedAt), .quiet)
        case .queues: return StyledLine(Self.queues(of: process))
        case .types: return StyledLine(Self.types(of: process))
        case .inFlight:
            if process.isStopping { return StyledLine("stopping", .time) }
            guard !runner.tasks.isEmpty else { return StyledLine("waits for work", .quiet) }
            let names = runner.tasks.map { task in
                let time = task.running.map { " \(clock.lasting(since: $0.since))" } ?? ""
                return "\(state.names.name(task.id)) \(task.type)\(time)"
            }
            return StyledLine(names.joined(separator: ", "), .running)
        }
    }

    private static func queues(of process: ProcessRecord) -> String {
        process.queues?.joined(separator: ", ") ?? "every queue"
    }

    private static func types(of process: ProcessRecord) -> String {
        process.handledNames?.joined(separator: ", ") ?? "every type"
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
