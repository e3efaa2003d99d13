import SluiceControl
import SluiceModel
import SluiceStore
import SluiceTerminalUI

/// View 8: the active debugger rows with their effect, owner and end. Below them the commands that
/// set the other kinds.
extension Painter {
    mutating func paintDebugger() {
        let rows = state.scene?.debugger ?? []
        paintDebuggerTitle()
        paintTabs(y: layout.tabsY)
        var y = layout.rows.y
        if rows.isEmpty {
            buffer.put(
                "Nothing of the debugger is set in this store.", x: contentX, y: y,
                maxWidth: contentWidth)
            y += 1
        } else {
            paintDebuggerRows(rows)
            y += rows.count
        }
        paintSetters(besides: rows, y: y + (layout.isRoomy ? 1 : 0))
        if let nextY = layout.nextY, let row = state.selectedDebuggerRow {
            paintWhole(row, of: rows, between: y, and: nextY)
            paintDeeds(of: row, y: nextY)
        }
    }

    private mutating func paintDebuggerTitle() {
        let title: StyledLine = [
            Span("debugger", .title, emphasis: true),
            Span("  of the whole store; every worker goes by it", .quiet),
        ]
        buffer.put(title, x: contentX, y: layout.body.y, maxWidth: contentWidth)
    }

    private mutating func paintDebuggerRows(_ rows: [DebuggerRow]) {
        let kinds = DebuggerColumn.allCases
        let (columns, frames) = debuggerTable(rows)
        buffer.putHeadings(columns, frames, x: contentX, y: layout.headingsY, isBold: hasKeys)
        let window = state.cursors[.debugger]?.window ?? ScrollWindow(height: layout.rowsHeight)
        for index in window.visible.clamped(to: 0..<rows.count) {
            let y = layout.rows.y + index - window.visible.lowerBound
            guard y < layout.rows.maxY else { break }
            if index == window.cursor { paintCursor(y: y) }
            for frame in frames {
                buffer.put(
                    cell(kinds[frame.index], rows[index]), in: frame,
                    alignment: columns.all[frame.index].alignment, x: contentX, y: y)
            }
        }
    }

    private func debuggerTable(_ rows: [DebuggerRow]) -> (Columns, [ColumnFrame]) {
        let columns = Columns(
            DebuggerColumn.allCases.map { column in
                let width = rows.map { cell(column, $0).width }.max() ?? 0
                return column.column(width, isRoomy: contentWidth >= 100)
            }, gap: contentWidth >= 100 ? 2 : 1)
        return (columns, columns.layout(width: contentWidth))
    }

    /// Paints the full text of the chosen row above the key hints if its columns are cut and free
    /// lines exist.
    private mutating func paintWhole(
        _ row: DebuggerRow, of rows: [DebuggerRow], between top: Int, and nextY: Int
    ) {
        let frames = debuggerTable(rows).1
        let isCut = [DebuggerColumn.words, .note].contains { kind in
            let place = DebuggerColumn.allCases.firstIndex(of: kind)
            let width = frames.first { $0.index == place }?.width ?? 0
            return width < cell(kind, row).width
        }
        guard isCut else { return }
        let note = cell(.note, row).text
        let text = "\(cell(.words, row).text)\(note.isEmpty ? "" : separator)\(note)"
        let lines = DisplayText.wrapped(
            text, to: max(1, contentWidth), limit: min(4, nextY - top), glyphs: glyphs)
        for (place, line) in lines.enumerated() {
            let y = nextY - lines.count + place
            buffer.fill(Rect(x: contentX, y: y, width: contentWidth, height: 1))
            buffer.put(line, x: contentX, y: y)
        }
    }

    /// Paints the commands that set the missing kinds, as far as they fit. Paints nothing if the
    /// store is read-only.
    private mutating func paintSetters(besides rows: [DebuggerRow], y: Int) {
        let disabledReasons = DisabledReasons(state: state)
        guard disabledReasons.readOnlyReason == nil else { return }
        let setters = DebuggerForms.all.map { $0.action }.filter { setter in
            state.scene?.refusals[setter] == nil && !rows.contains { $0.setter == setter }
        }
        let width = setters.map { DisplayText.width(state.key($0)) }.max() ?? 0
        for (row, setter) in setters.enumerated() where y + row < layout.rows.maxY {
            let line: StyledLine = [
                Span(DisplayText.paddedRight(state.key(setter), to: width), .key, emphasis: true),
                Span("  \(Action.named(setter)?.help ?? "")", .quiet),
            ]
            buffer.put(line, x: contentX, y: y + row, maxWidth: contentWidth)
        }
    }

    /// Paints the keys for the chosen row as commands. Shortens them to words, from the last one,
    /// if they do not all fit.
    private mutating func paintDeeds(of row: DebuggerRow, y: Int) {
        let actions = actions(of: row)
        let all = (0...actions.count).map { line(actions, inWords: $0) }
        if let text = all.first(where: { $0.width <= contentWidth }) ?? all.last {
            buffer.put(text, x: contentX, y: y, maxWidth: contentWidth)
        }
    }

    /// The effect of one key on a row.
    private struct RowAction {
        /// The key's action, or `nil` for text without a key.
        var id: Action.ID?
        var command: String
        var word: String
    }

    private func line(_ actions: [RowAction], inWords count: Int) -> StyledLine {
        var text = StyledLine()
        for (place, action) in actions.enumerated() {
            if place > 0 { text.append(separator, .quiet) }
            if let id = action.id {
                text.append(state.key(id), .key, emphasis: true)
                text.append(" ", .quiet)
            }
            text.append(place < actions.count - count ? action.command : action.word, .quiet)
        }
        return text
    }

    private func actions(of row: DebuggerRow) -> [RowAction] {
        let commands = CommandText(names: state.names, now: clock.now)
        func said(_ id: Action.ID?, _ words: String) -> RowAction {
            RowAction(id: id, command: words, word: words)
        }
        var actions: [RowAction] = []
        if let queue = row.stopped {
            let command = commands.of(Verb.goOn(queue: queue))
            actions.append(RowAction(id: .run, command: command, word: "resumes"))
        }
        switch row {
        case .breakpoint, .fault: actions.append(said(.detail, "lists its tasks"))
        case .clock: actions.append(said(.detail, "sets it"))
        case .checkpoint(let shown):
            let name = shown.checkpoint.name
            actions += [
                RowAction(id: .detail, command: ShellWord.command("diff", name), word: "compares"),
                RowAction(
                    id: .retry, command: ShellWord.command("restore", name), word: "restores"),
            ]
        case .recording(let recording):
            actions.append(
                state.ownTape != nil
                    ? said(.delete, "ends it")
                    : said(nil, "it ends with its process, \(recording.recorder)"))
        }
        if let verb = row.removal {
            actions.append(RowAction(id: .delete, command: commands.of(verb), word: "removes it"))
        }
        return actions
    }

    private func cell(_ column: DebuggerColumn, _ row: DebuggerRow) -> StyledLine {
        switch column {
        case .sign: return sign(row)
        case .name: return StyledLine(row.name, .title, emphasis: true)
        case .words: return words(row)
        case .hits:
            guard let hits = row.hits else { return StyledLine(glyphs[.dash], .faint) }
            return StyledLine(NumberText.grouped(hits), hits == 0 ? .quiet : .text)
        case .ends:
            if case .recording = row {
                let whole = state.ownTape == nil ? "with process" : "with console"
                return StyledLine(whole, .quiet)
            }
            guard let until = row.until else { return StyledLine("when removed", .quiet) }
            return StyledLine(clock.real.coming(until), .time)
        case .by: return StyledLine(row.by, .quiet)
        case .note: return note(row)
        }
    }

    private func sign(_ row: DebuggerRow) -> StyledLine {
        switch row {
        case .breakpoint:
            StyledLine(glyphs[.breakpoint], row.stopped == nil ? .time : .next)
        case .fault: StyledLine(glyphs[.fault], .time)
        case .recording: StyledLine(glyphs[.running], .running)
        case .clock, .checkpoint: StyledLine("")
        }
    }

    private func words(_ row: DebuggerRow) -> StyledLine {
        switch row {
        case .breakpoint(let breakpoint, _):
            StyledLine(
                "\(Breakpoint.words(of: breakpoint.moment)) \(breakpoint.filter)"
                    + (breakpoint.limit.map { ", \($0.words)" } ?? ""))
        case .fault(let fault): StyledLine("\(fault.kind.words) in \(fault.filter)")
        case .clock: StyledLine(clockState ?? "real", .time)
        case .checkpoint(let shown): StyledLine(shown.checkpoint.name)
        case .recording: StyledLine(state.ownTape.map { "into \($0)" } ?? "onto a tape", .running)
        }
    }

    private func note(_ row: DebuggerRow) -> StyledLine {
        switch row {
        case .breakpoint(let breakpoint, let stops):
            let note = breakpoint.note(stops) { clock.real.time($0) }
            let words = state.names.text(note)
            return StyledLine(words, stops.isEmpty ? .quiet : .next)
        case .fault(let fault):
            switch fault.limit {
            case .times: return StyledLine("\(fault.left ?? 0) left", .quiet)
            case .chance(let chance, let seed):
                return StyledLine("chance \(chance), seed \(seed)", .quiet)
            }
        case .clock(let setting): return StyledLine("set \(ago(setting.since))", .quiet)
        case .checkpoint(let shown):
            let changed = "\(NumberText.grouped(shown.changed)) changed"
            return StyledLine("\(changed), taken \(ago(shown.checkpoint.at))", .quiet)
        case .recording(let recording):
            return StyledLine(
                "begun \(ago(recording.since)), process \(recording.recorder)", .quiet)
        }
    }

    private func ago(_ moment: Timestamp) -> String {
        let age = clock.real.age(moment)
        return clock.format == .relative ? "\(age) ago" : "at \(age)"
    }
}

/// A column of view 8.
private enum DebuggerColumn: CaseIterable {
    case sign, name, words, hits, ends, by, note

    /// The column; `width` is the width of its widest cell. On a narrow screen notes get more room
    /// than filters, because a filter's beginning says most.
    func column(_ width: Int, isRoomy: Bool) -> Column {
        switch self {
        case .sign: Column("", minimum: 1, maximum: 1, priority: 9)
        case .name: Column("what", minimum: max(4, width), priority: 10)
        case .words:
            Column(
                "does", minimum: min(max(4, width), 20), ideal: isRoomy ? width : min(width, 24),
                maximum: max(4, width), priority: 8, isFlexible: true)
        case .hits: Column("hits", alignment: .right, minimum: max(4, width), priority: 7)
        case .ends: Column("ends", minimum: max(4, width), priority: 6)
        case .by:
            Column(
                "by", minimum: min(max(2, width), 8), ideal: min(20, width), maximum: 20,
                priority: 4)
        case .note:
            Column(
                "note", minimum: min(max(4, width), 12), ideal: width, maximum: max(4, width),
                priority: 5)
        }
    }
}

/// The store's clock on the screen (G3).
extension Painter {
    /// `clock frozen at 14:03:22 (-5m)`; nil while it shows the real time.
    var clockWords: String? { clockState.map { "clock \($0)" } }

    /// `frozen at 14:03:22 (-5m)`; nil while it shows the real time.
    var clockState: String? {
        let time = state.storeTime
        let place =
            switch time {
            case .real, .offset: ""
            case .frozen: "frozen at "
            case .rate(let rate, _, _): "at rate \(StoreTime.text(rate: rate)), "
            }
        guard time != .real else { return nil }
        // Show the date only if it differs from the real date.
        let shown = clock.real.time(clock.now, seconds: time.rate == 0 || clock.ticks)
        return "\(place)\(shown) (\(ahead(time)))"
    }

    /// By how much it is ahead, in one unit.
    private func ahead(_ time: StoreTime) -> String {
        let offset = time.offset(at: clock.realNow)
        let seconds = Int64(clamping: offset.magnitude) / 1000
        let size =
            switch seconds {
            case ..<60: "\(seconds)s"
            case ..<3600: "\(seconds / 60)m"
            case ..<86_400: "\(seconds / 3600)h"
            default: "\(seconds / 86_400)d"
            }
        return (offset < 0 && !size.hasPrefix("0") ? "-" : "+") + size
    }
}

/// Breakpoints on the screen (G1).
extension Painter {
    /// The breakpoint that stopped the queue, and the keys to continue. `nil` if no breakpoint
    /// stopped it.
    func stopWords(_ line: QueueLine) -> StyledLine? {
        guard let pause = line.overview.pauses.first(where: { $0.cause == .breakpoint }) else {
            return nil
        }
        let room = contentWidth - DisplayText.width(line.name) - 2
        for brevity in [StopBrevity.whole, .short] {
            let words = stopWords(line, pause, brevity)
            if words.width <= room { return words }
        }
        return stopWords(line, pause, .shortest)
    }

    /// How much of a stop to show, from the full text to the shortest.
    private enum StopBrevity { case whole, short, shortest }

    private func stopWords(
        _ line: QueueLine, _ pause: Pause, _ brevity: StopBrevity
    ) -> StyledLine {
        let isShort = brevity != .whole
        let stop = line.stop(at: clock.realNow)
        let numbers = pause.by.split(separator: " ", maxSplits: 1).last.map(String.init) ?? ""
        let words = brevity == .shortest ? stop?.briefPlace : stop?.place
        let place = words.map(state.names.text) ?? "holds it"
        var text: StyledLine = [
            Span("\(glyphs[.breakpoint]) ", .time),
            Span(
                "\(isShort ? numbers : pause.by)\(pause.stopSign) \(place)", .time, emphasis: true),
        ]
        if line.overview.state == .pausing {
            text.append(" (\(line.tally.running) running)", .time)
        }
        let others = line.overview.pauses.filter { $0.cause != .breakpoint }
        if let other = others.first, !isShort {
            text.append("\(separator)paused by \(other.by) too", .time)
        }
        // A read-only store, such as a tape, has no key to continue.
        guard DisabledReasons(state: state).readOnlyReason == nil else { return text }
        text.append(separator, .quiet)
        text.append(state.key(.step), .key, emphasis: true)
        let steps = stop?.moment == .before ? " steps over it" : " steps on"
        text.append(isShort ? " step" : steps, .quiet)
        text.append(separator, .quiet)
        text.append(state.key(.run), .key, emphasis: true)
        text.append(isShort ? " run" : " resumes", .quiet)
        return text
    }

    /// The mark of a row where a breakpoint would stop, or has stopped.
    func stopMark(_ line: TaskLine) -> StyledLine? {
        let queue = state.scene?.queue(named: line.task.queue)
        let isStop = queue?.stop(at: clock.realNow)?.task == line.task.id
        guard isStop || state.list.page.stops[line.task.id] != nil else { return nil }
        return StyledLine(glyphs[.breakpoint], isStop ? .next : .time)
    }
}

/// Faults on the screen (G2).
extension Painter {
    /// The active faults, as far as they fit. `nil` without faults.
    func faultWords(room: Int) -> StyledLine {
        guard let faults = state.scene?.faults, let first = faults.first else {
            return StyledLine()
        }
        let sign = "\(separator)\(glyphs[.fault]) "
        var forms = ["\(sign)\(faults.count)"]
        if faults.count == 1 {
            let left =
                switch first.limit {
                case .times: first.left.map { ", \($0) left" } ?? ""
                case .chance(let chance, _): ", chance \(chance)"
                }
            forms.append("\(sign)fault \(first.number)")
            forms.append("\(sign)fault \(first.number) \(first.kind.words)\(left)")
        } else {
            forms.append("\(sign)\(faults.count) faults")
        }
        let fitting = forms.last { DisplayText.width($0) <= room }
        return fitting.map { StyledLine($0, .time) } ?? StyledLine()
    }

    /// The mark of a row with a fault in its next or its running attempt.
    func faultMark(_ line: TaskLine) -> StyledLine? {
        let isInjected = line.task.running?.injection != nil
        guard isInjected || state.list.page.faults[line.task.id] != nil else { return nil }
        return StyledLine(glyphs[.fault], isInjected ? .failed : .time)
    }
}
