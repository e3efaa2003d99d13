import SluiceControl
import SluiceModel
import SluiceStore
import SluiceTerminalUI

/// The left pane: queues, and what counts down.
extension Painter {
    mutating func paintQueuePane() {
        let area = layout.left
        let count = state.scene?.queueCount ?? 0
        let columns = queueColumns
        let frames = columns.layout(width: max(0, area.width - 2))
        let y = layout.queueRowsY - (layout.hasAllRow ? 2 : 1)
        let hasKeys = state.focus == .queues && state.page == nil || layout.isNarrow
        buffer.putHeadings(columns, frames, x: 1, y: y, isBold: hasKeys)
        guard count > 0 else {
            buffer.put("no queue yet", x: 3, y: y + 1, role: .quiet, maxWidth: area.width - 4)
            return
        }
        let visible = state.queueCursor.window.visible.clamped(to: 0..<count)
        if layout.hasAllRow { paintAllRow(columns, frames, y: y + 1) }
        var row = layout.queueRowsY
        for place in visible where row < area.maxY {
            if let line = state.scene?.queue(at: place) {
                paintQueueRow(line, columns, frames, y: row)
            }
            row += 1
        }
        if visible.upperBound < count, row < area.maxY {
            let more = "\(NumberText.grouped(count - visible.upperBound)) more"
            buffer.put(more, x: 3, y: row, role: .quiet)
            row += 1
        }
        paintTimerList(from: row + 1, area)
    }

    private var queueColumns: Columns {
        // A state is never cut: a name says enough by its beginning.
        let asked = QueuePaneWidths(self.state.scene)
        let (name, state, waits) = (asked.name, asked.state, asked.waits)
        let fail = asked.fail
        // Sign, state and the blanks between the columns leave this for names and numbers, which
        // are shortened by their unit before a state goes. Usual names stay whole, and where they
        // need it the priorities go.
        let room = layout.left.width - 2 - 4 - state
        let shortest = min(min(max(6, name), 10), max(6, room - 5))
        return Columns([
            Column("", minimum: 1, priority: 9),
            Column(
                "queues", minimum: shortest,
                ideal: min(max(6, name), 24), maximum: 40, priority: 8, isFlexible: true),
            Column("state", minimum: state, ideal: 9, maximum: 9, priority: 6),
            fail == 0
                ? Column("", minimum: 1 << 20, priority: -1)
                : Column("fail", alignment: .right, minimum: max(4, fail), priority: 5),
            Column("pri", alignment: .right, minimum: 3, maximum: 5, priority: 3),
            Column(
                "waits", alignment: .right, minimum: min(max(5, waits), max(5, room - shortest)),
                ideal: max(5, waits), priority: 7),
        ])
    }

    private mutating func paintQueueRow(
        _ line: QueueLine, _ columns: Columns, _ frames: [ColumnFrame], y: Int
    ) {
        let isSelected = line.name == state.selectedQueue && !state.isAll
        paintQueueCursor(isSelected: isSelected, y: y)
        let look = QueueLook(line)
        for frame in frames {
            let column = columns.all[frame.index]
            let text: StyledLine
            switch frame.index {
            case 0: text = StyledLine(glyphs[look.glyph], look.role)
            case 1:
                text = StyledLine(line.name, isSelected ? .title : .text, emphasis: isSelected)
            case 2: text = StyledLine(look.word, look.role)
            case 3: text = Self.failCell(line.tally, glyphs)
            case 4: text = Self.number(Int(line.overview.queue.settings.priority))
            default:
                let waits = line.tally.waiting
                text =
                    waits == 0
                    ? StyledLine(glyphs[.dash], .faint)
                    : StyledLine(
                        Figure.text(
                            waits, width: frame.width, isAbout: line.tally.isWaitingEstimated,
                            isBound: line.tally.bounded.contains(.due)))
            }
            buffer.put(text, in: frame, alignment: column.alignment, x: 1, y: y)
        }
    }

    /// `!182` failed for good, or `↻47` wait for a retry.
    static func failCell(_ tally: QueueTally, _ glyphs: GlyphSet) -> StyledLine {
        if tally.failed > 0 {
            let plus = tally.bounded.contains(.failed) ? "+" : ""
            return StyledLine(
                glyphs[.failed] + NumberText.grouped(tally.failed) + plus, .failed)
        }
        guard tally.retrying > 0 else { return StyledLine() }
        return StyledLine(glyphs[.retry] + NumberText.grouped(tally.retrying), .time)
    }

    /// A number, faint when it is zero.
    static func number(_ value: Int) -> StyledLine {
        StyledLine("\(value)", value == 0 ? .quiet : .text)
    }

    private mutating func paintTimerList(from y: Int, _ area: Rect) {
        let timers = state.scene?.timers.filter { $0.at > clock.now } ?? []
        guard !timers.isEmpty, y + 1 < area.maxY else { return }
        let width = area.width - 2
        buffer.put("timers", x: 1, y: y, role: .quiet)
        buffer.put("in", x: 1 + width - 2, y: y, role: .quiet)
        let height = area.maxY - y - 1
        let isCut = timers.count > height && height > 1
        if isCut {
            let more: StyledLine = [Span("3", .key), Span(" shows more", .quiet)]
            buffer.put(more, x: 1, y: area.maxY - 1, maxWidth: width)
        }
        let shown = timers.prefix(isCut ? height - 1 : height)
        let name = shown.map { DisplayText.width($0.place) }.max() ?? 0
        let task = shown.map { DisplayText.width(what($0)) }.max() ?? 0
        let tries = shown.compactMap(tries).map(\.utf8.count).max() ?? 0
        let countdown = shown.map { DisplayText.width(clock.countdown($0.at)) }.max() ?? 0
        let room = TimerRoom(
            width: width, name: name, task: task, tries: tries, countdown: countdown)
        for (index, timer) in shown.enumerated() {
            paintTimerRow(timer, room, y: y + 1 + index)
        }
    }

    /// How the timers share the pane: first the tries give way, then the bar, then the name.
    private struct TimerRoom {
        var name: Int
        var task: Int
        var tries: Int
        var bar: Int
        var countdown: Int

        init(width: Int, name: Int, task: Int, tries most: Int, countdown: Int) {
            self.countdown = max(5, countdown)
            var left = width - self.countdown - 1
            self.task = min(task, max(6, left - 8))
            left -= self.task + 1
            self.name = min(name, max(4, left - 3))
            left -= self.name + 1
            tries = most > 0 && left >= most + 5 ? most : 0
            if tries > 0 { left -= tries + 1 }
            // What is left is the bar's: a longer one tells more, and nothing lies between.
            bar = min(12, max(0, left))
        }
    }

    /// The task, or what ends or begins.
    private func what(_ timer: TimerLine) -> String {
        timer.id.map { state.names.name($0) } ?? timer.schedule ?? timer.words
    }

    private mutating func paintTimerRow(_ timer: TimerLine, _ room: TimerRoom, y: Int) {
        let width = layout.left.width - 2
        let countdown = clock.countdown(timer.at)
        let countX = 1 + width - room.countdown
        buffer.put(
            DisplayText.paddedLeft(countdown, to: room.countdown), x: countX, y: y, role: .time)
        let bar = ProgressBar(
            fraction: clock.fraction(since: timer.since, until: timer.at), width: room.bar)
        buffer.put(bar.line(.time, glyphs: glyphs), x: countX - room.bar - 1, y: y)
        buffer.put(timer.place, x: 1, y: y, maxWidth: room.name)
        let x = 2 + room.name
        buffer.put(what(timer), x: x, y: y, maxWidth: room.task)
        guard room.tries > 0, let tries = tries(timer) else { return }
        buffer.put(tries, x: x + room.task + 1, y: y, role: .quiet)
    }

    /// `2/5`, of a retry that has a limit.
    private func tries(_ timer: TimerLine) -> String? {
        guard let attempt = timer.attempt, timer.kind == .retry, timer.attemptLimit != nil else {
            return nil
        }
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
        case .skip: "skipped"
        case .expiry, .appStart: "expires"
        case .schedule: "schedule"
        }
    }
}

/// How a queue's state looks: glyph, words and role (K5).
struct QueueLook {
    let glyph: Glyph
    /// The words of the line under its name.
    let words: String
    let role: Role
    /// What a column of states says.
    let word: String

    init(_ line: QueueLine) {
        let standing = QueueStanding(line.overview, line.tally)
        if let unserved = line.unserved, [.running, .waiting].contains(standing) {
            (glyph, role, word) = (.idle, .time, "waiting")
            words = "waiting: \(unserved)"
            return
        }
        if line.isFailing, [.running, .waiting].contains(standing) {
            (glyph, role, word, words) = (.failed, .failed, "failing", "failing")
            return
        }
        words = standing.words
        switch standing {
        // The sign says whether anything more starts, the word what is wrong.
        case .stuck where line.overview.state == .pausing:
            (glyph, role) = (line.overview.isAtStop ? .breakpoint : .paused, .failed)
        case .stuck: (glyph, role) = (.failed, .failed)
        case .atStop: (glyph, role) = (.breakpoint, .time)
        case .paused, .pausing: (glyph, role) = (.paused, .time)
        case .blocked, .noRunner, .waiting: (glyph, role) = (.idle, .time)
        case .running: (glyph, role) = (.running, .running)
        case .noRun, .empty: (glyph, role) = (.idle, .quiet)
        case .failed: (glyph, role) = (.failed, .failed)
        }
        // A number that has no room leaves its word: the column of failed ones has the number.
        if case .failed(let count) = standing, count > 999 {
            word = "failed"
        } else {
            word = standing.word
        }
    }
}
