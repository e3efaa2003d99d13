import SluiceControl
import SluiceModel
import SluiceTerminalUI

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
