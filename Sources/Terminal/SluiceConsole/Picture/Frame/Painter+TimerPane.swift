import SluiceControl
import SluiceModel
import SluiceStore
import SluiceTerminalUI

/// The timers below the queues, the soonest first. Without room for all, those of one queue and
/// kind take one row.
extension Painter {
    /// A row: one timer, or several of one queue and kind.
    struct TimerRow {
        /// The only one, or the next of several.
        let next: TimerLine
        /// How many, in words; nil of one.
        var count: String?
    }

    mutating func paintTimerPane() {
        let (area, width) = (layout.left, layout.left.width - 2)
        let rows = timerRows
        guard let y = timerPaneY, !rows.isEmpty else { return }
        buffer.put("timers", x: 1, y: y, role: .quiet, emphasis: state.focus == .timers)
        buffer.put("in", x: 1 + width - 2, y: y, role: .quiet)
        if hasMoreTimers {
            let more: StyledLine = [Span("3", .key), Span(" shows more", .quiet)]
            buffer.put(more, x: 1, y: area.maxY - 1, maxWidth: width)
        }
        let timers = rows.map(\.next)
        let room = TimerRoom(
            width: width, name: timers.map { DisplayText.width($0.place) }.max() ?? 0,
            task: rows.map { DisplayText.width(what($0)) }.max() ?? 0,
            tries: rows.compactMap(tries).map(\.utf8.count).max() ?? 0,
            countdown: timers.map { DisplayText.width(clock.countdown($0.at)) }.max() ?? 0,
            hasBars: rows.allSatisfy { $0.count == nil })
        let chosen = state.timerPlace(in: timers)
        for (index, row) in rows.enumerated() {
            if index == chosen {
                let line = Rect(x: 0, y: y + 1 + index, width: area.width, height: 1)
                buffer.paint(line, background: .selection)
            }
            paintTimerRow(row, room, y: y + 1 + index)
        }
    }

    /// The next timers of its rows.
    var paneTimers: [TimerLine] { timerRows.map(\.next) }

    /// The timer of a row of the screen.
    func timer(at y: Int) -> TimerLine? {
        guard let first = timerPaneY.map({ $0 + 1 }), y >= first else { return nil }
        let rows = timerRows
        return rows.indices.contains(y - first) ? rows[y - first].next : nil
    }

    /// The line of its headings; nil if there is no room.
    private var timerPaneY: Int? {
        let area = layout.left
        let count = state.scene?.queueCount ?? 0
        let visible = state.queueCursor.window.visible.clamped(to: 0..<count)
        let y = layout.queueRowsY + visible.count + (visible.upperBound < count ? 1 : 0) + 1
        return layout.fleetPane?.hasNeighbours != true && y + 1 < area.maxY && count > 0 ? y : nil
    }

    private var timerHeight: Int { timerPaneY.map { layout.left.maxY - $0 - 1 } ?? 0 }

    private var comingTimers: [TimerLine] {
        state.scene?.timers.filter { $0.at > clock.now } ?? []
    }

    private var hasMoreTimers: Bool { foldedTimers.count > timerHeight && timerHeight > 1 }

    private var timerRows: [TimerRow] {
        Array(foldedTimers.prefix(hasMoreTimers ? timerHeight - 1 : timerHeight))
    }

    private var foldedTimers: [TimerRow] {
        let timers = comingTimers
        let isCut = state.scene?.areTimersCut ?? false
        guard timers.count > timerHeight || isCut else {
            return timers.map { TimerRow(next: $0) }
        }
        struct Fold: Hashable {
            let queue: String
            let kind: TimerLine.Kind
        }
        var order: [Fold] = []
        var members: [Fold: [TimerLine]] = [:]
        for timer in timers {
            let fold = Fold(queue: timer.queue, kind: timer.kind)
            if members[fold] == nil { order.append(fold) }
            members[fold, default: []].append(timer)
        }
        return order.compactMap { fold in
            guard let lines = members[fold], let next = lines.first else { return nil }
            return TimerRow(next: next, count: lines.count > 1 ? count(of: lines) : nil)
        }
    }

    /// `412 retries`: the kept count of the queue, else of the timers that were read.
    private func count(of lines: [TimerLine]) -> String {
        let tally = state.scene?.queue(named: lines[0].queue)?.tally
        switch (lines[0].kind, tally) {
        case (.retry, let tally?): return "\(NumberText.grouped(tally.retrying)) retries"
        case (.notBefore, let tally?):
            let sign = tally.estimated.contains(.delayed) ? "~" : ""
            return "\(sign)\(NumberText.grouped(tally.delayed)) delayed"
        default:
            let isCut = state.scene?.areTimersCut ?? false
            return "\(lines.count)\(isCut ? "+" : "") \(lines[0].pluralWords)"
        }
    }

    /// How the rows share the pane: first the tries give way, then the bar, then the name.
    private struct TimerRoom {
        var name: Int
        var task: Int
        var tries: Int
        var bar: Int
        var countdown: Int

        init(
            width: Int, name: Int, task: Int, tries most: Int, countdown: Int, hasBars: Bool
        ) {
            self.countdown = max(5, countdown)
            var left = width - self.countdown - 1
            self.task = min(task, max(6, left - 8))
            left -= self.task + 1
            self.name = min(name, max(4, left - (hasBars ? 3 : 0)))
            left -= self.name + 1
            tries = most > 0 && left >= most + 5 ? most : 0
            if tries > 0 { left -= tries + 1 }
            // A longer bar shows more, so it takes the rest of the width.
            bar = min(12, max(0, left))
        }
    }

    /// The task, what ends or begins, or how many do.
    private func what(_ row: TimerRow) -> String {
        row.count ?? row.next.id.map { state.names.name($0) } ?? row.next.schedule
            ?? row.next.words
    }

    private mutating func paintTimerRow(_ row: TimerRow, _ room: TimerRoom, y: Int) {
        let width = layout.left.width - 2
        let timer = row.next
        let countdown = clock.countdown(timer.at)
        let countX = 1 + width - room.countdown
        buffer.put(
            DisplayText.paddedLeft(countdown, to: room.countdown), x: countX, y: y, role: .time)
        buffer.put(timer.place, x: 1, y: y, maxWidth: room.name)
        let x = 2 + room.name
        let end = buffer.put(what(row), x: x, y: y, maxWidth: room.task)
        guard row.count == nil else {
            if end + 5 < countX { buffer.put("next", x: countX - 5, y: y, role: .quiet) }
            return
        }
        let bar = ProgressBar(
            fraction: clock.fraction(since: timer.since, until: timer.at), width: room.bar)
        buffer.put(bar.line(.time, glyphs: glyphs), x: countX - room.bar - 1, y: y)
        guard room.tries > 0, let tries = tries(row) else { return }
        buffer.put(tries, x: x + room.task + 1, y: y, role: .quiet)
    }

    /// `2/5`, of a retry that has a limit.
    private func tries(_ row: TimerRow) -> String? {
        let timer = row.next
        guard row.count == nil, let attempt = timer.attempt, timer.kind == .retry,
            timer.attemptLimit != nil
        else { return nil }
        return TaskWords.tries(attempt - 1, timer.attemptLimit)
    }
}

extension TimerLine {
    /// The word that people read.
    var words: String {
        switch kind {
        case .retry: "retry"
        case .notBefore: "begins"
        case .pause: isOfStop ? "at stop" : "paused"
        case .run: "next run"
        case .rate: "by rate"
        case .skip: "skipped"
        case .expiry, .appStart: "expires"
        case .schedule: "schedule"
        }
    }

    /// The word for several timers.
    fileprivate var pluralWords: String {
        switch kind {
        case .retry: "retries"
        case .notBefore: "delayed"
        case .pause: "pauses"
        case .run: "runs"
        case .rate: "by rate"
        case .skip: "skipped"
        case .expiry, .appStart: "expire"
        case .schedule: "schedules"
        }
    }
}

/// View 3: everything that waits for a time, of all queues, the soonest first.
extension Painter {
    mutating func paintTimers() {
        let timers = state.scene?.timers ?? []
        guard !timers.isEmpty else {
            let isPossible = state.scene?.refusals[.postpone] == nil
            return putEmpty(
                "Nothing waits for a time.", isPossible ? "A task can be told to:" : "",
                command: isPossible ? "postpone TASK +15m" : nil)
        }
        paintTimeline(timers)
        let name = timers.map { DisplayText.width($0.place) }.max() ?? 5
        let task = timers.compactMap(\.id).map { state.names.name($0).count }.max() ?? 6
        let columns = Columns(
            [
                Column("in", alignment: .right, minimum: 7, maximum: 9, priority: 9),
                Column("", minimum: 6, ideal: 16, maximum: 24, priority: 5),
                Column("at", minimum: 8, ideal: 8, maximum: 14, priority: 6),
                Column(
                    "queue", minimum: min(max(5, name), 10), ideal: min(name, 20), maximum: 24,
                    priority: 8),
                Column("task", alignment: .right, minimum: max(6, task), priority: 7),
                Column("what", minimum: 8, ideal: 20, maximum: 60, priority: 4, isFlexible: true),
            ], gap: contentWidth >= 60 ? 2 : 1)
        let frames = columns.layout(width: contentWidth)
        buffer.putHeadings(
            columns, frames, x: contentX, y: layout.headingsY, isBold: hasKeys)
        let window = state.cursors[.timers]?.window ?? ScrollWindow(height: layout.rowsHeight)
        for index in window.visible.clamped(to: 0..<timers.count) {
            let y = layout.rows.y + index - window.visible.lowerBound
            guard y < layout.rows.maxY else { break }
            if index == window.cursor { paintCursor(y: y) }
            for frame in frames {
                buffer.put(
                    cell(frame, timers[index]), in: frame,
                    alignment: columns.all[frame.index].alignment, x: contentX, y: y)
            }
        }
        if layout.isRoomy {
            buffer.put(timerStatus, x: contentX, y: layout.rows.maxY, role: .quiet)
        }
    }

    /// `row 3 of 30` if there are more than have room.
    var timerStatus: String {
        guard let window = state.cursors[.timers]?.window, let timers = state.scene?.timers,
            window.visible.count < timers.count
        else { return "" }
        let total = max(timers.count, state.scene?.timeline?.total ?? 0)
        return "row \(window.cursor + 1) of \(NumberText.grouped(total))"
    }

    private func cell(_ frame: ColumnFrame, _ timer: TimerLine) -> StyledLine {
        switch frame.index {
        case 0: return StyledLine(clock.countdown(timer.at), .time)
        case 1:
            let fraction = clock.fraction(since: timer.since, until: timer.at)
            return ProgressBar(fraction: fraction, width: frame.width).line(.time, glyphs: glyphs)
        case 2: return StyledLine(clock.time(timer.at), .quiet)
        case 3: return StyledLine(timer.place)
        case 4: return StyledLine(timer.id.map { state.names.name($0) } ?? "")
        default:
            if timer.kind == .retry, let attempt = timer.attempt {
                let tries = TaskWords.tries(attempt, timer.attemptLimit)
                let isWhole = "attempt \(tries)".count <= frame.width
                return [Span(isWhole ? "attempt " : "try ", .quiet), Span(tries)]
            }
            var text = StyledLine(timer.sentence, .quiet)
            if let schedule = timer.schedule { text.append(" \(schedule)") }
            return text
        }
    }
}

extension TimerLine {
    /// The queue, or that it is of all.
    var place: String { Self.place(of: queue) }

    static func place(of queue: String) -> String { queue.isEmpty ? "all queues" : queue }
}

extension TimerLine {
    fileprivate var sentence: String {
        switch kind {
        case .retry: "retry"
        case .notBefore: "begins"
        case .pause: isOfStop ? "the stop ends" : "the pause ends"
        case .run: "the next run begins"
        case .rate: "the rate lets the next one start"
        case .skip: "the skip ends"
        case .expiry: "expires"
        case .appStart: "expires at a start of the app"
        case .schedule: "schedule"
        }
    }
}
