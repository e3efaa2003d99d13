import SluiceControl
import SluiceTerminalUI

/// The cursor in the pane of timers, below the last queue.
extension ConsoleState {
    /// A row of the pane, and its place for the time after the timer has ended.
    struct TimerCursor: Hashable, Sendable {
        var key: RowKey
        var place: Int
    }

    /// The rows of the pane by their next timers.
    private var paneTimers: [TimerLine] { Painter(self, size: size).paneTimers }

    /// The place of the cursor among the rows; `nil` without one.
    func timerPlace(in rows: [TimerLine]) -> Int? {
        guard focus == .timers, let cursor = timerCursor, !rows.isEmpty else { return nil }
        return rows.firstIndex { $0.key == cursor.key } ?? min(cursor.place, rows.count - 1)
    }

    /// Goes from the last queue to the first timer; false where the step stays among the queues.
    mutating func moveToTimers(_ step: Step) -> Bool {
        guard case .rows(let rows) = step, rows > 0, !layout.isNarrow, !isAll, let scene,
            queueCursor.wanted.cursor >= scene.queueCount - 1, let first = paneTimers.first
        else { return false }
        focus = .timers
        timerCursor = TimerCursor(key: first.key, place: 0)
        return true
    }

    /// A step among the timers; the one above the first leads back to the queues.
    mutating func moveInTimers(_ step: Step) {
        let rows = paneTimers
        guard let place = timerPlace(in: rows) else { return leaveTimers() }
        let wanted =
            switch step {
            case .rows(let count): place + count
            case .pages(let count): place + count * rows.count
            case .start: 0
            case .end: rows.count - 1
            }
        guard wanted >= 0 else { return leaveTimers() }
        let next = min(wanted, rows.count - 1)
        timerCursor = TimerCursor(key: rows[next].key, place: next)
    }

    private mutating func leaveTimers() { (focus, timerCursor) = (.queues, nil) }

    /// Opens view 3 at the timer of the cursor.
    mutating func openTimer() {
        let rows = paneTimers
        guard let place = timerPlace(in: rows) else { return leaveTimers() }
        showTimer(rows[place])
    }

    /// View 3 with the cursor on a timer.
    mutating func showTimer(_ timer: TimerLine) {
        (focus, timerCursor) = (.view, nil)
        show(.timers)
        var cursor = cursors[.timers] ?? RowCursor()
        cursor.key = timer.key
        cursors[.timers] = cursor
    }
}
