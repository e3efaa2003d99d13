import SluiceControl
import SluiceModel
import SluiceStore
import SluiceTerminalUI

/// Names a row of a view other than the list, so that the cursor follows it (K1).
enum RowKey: Hashable, Sendable {
    case group(String)
    case member(group: String, TaskID)
    /// The members omitted from a group, or the omitted groups.
    case rest(group: String?)
    case timer(queue: String, TaskID?, TimerLine.Kind, schedule: String?)
    case entry(LogEntry.ID, TaskID?)
    case runner(ProcessID)
    case failure(FailureKind)
    case debugger(DebuggerRow.Key)
    /// A place of a fleet, or a queue of it.
    case place(String, queue: String?)
    /// The omitted queues of a place.
    case placeRest(String)
    /// All places of a fleet, a condition at one of them, and the omitted conditions.
    case allPlaces
    case placeAlert(String, QueueAlert.Subject)
    case moreAlerts

    /// The task of the row, if it is one's.
    var task: TaskID? {
        switch self {
        case .member(_, let id): id
        case .timer(_, let id, _, _), .entry(_, let id): id
        case .group, .rest, .runner, .failure, .debugger, .place, .placeRest, .allPlaces,
            .placeAlert, .moreAlerts:
            nil
        }
    }
}

/// The cursor of a view whose rows are all loaded.
struct RowCursor: Hashable, Sendable {
    var key: RowKey?
    var window = ScrollWindow(height: 0)

    /// Takes over the rows; the cursor follows its own, or with `sticksToEnd` the last.
    mutating func apply(_ keys: [RowKey], height: Int, sticksToEnd: Bool) {
        let wasAtEnd = key == nil || window.cursor + 1 >= window.total ?? 0
        window.resize(height: height)
        window.update(total: keys.count)
        if sticksToEnd, wasAtEnd {
            window.moveToEnd()
        } else if let key, let row = keys.firstIndex(of: key) {
            window.follow(to: row)
        }
        key = keys.indices.contains(window.cursor) ? keys[window.cursor] : nil
    }

    mutating func move(in keys: [RowKey], _ change: (inout ScrollWindow) -> Void) {
        change(&window)
        key = keys.indices.contains(window.cursor) ? keys[window.cursor] : nil
    }
}

extension LoadedScene {
    /// The rows of a view other than the list.
    func keys(of view: ConsoleView) -> [RowKey] {
        switch view {
        case .inventory, .queues, .flow: []
        case .groups: groupRows.map(\.key)
        case .timers:
            timers.map(\.key)
        case .activity: activity.map { .entry($0.entry.id, $0.entry.task) }
        case .failures: failures.map { .failure($0.kind) }
        case .runners: runners.map { .runner($0.process.id) }
        case .debugger: debugger.map { .debugger($0.key) }
        case .fleet: fleet?.rows.map(\.key) ?? []
        }
    }
}

extension TimerLine {
    /// Its row in view 3.
    var key: RowKey { .timer(queue: queue, id, kind, schedule: schedule) }
}

extension LogEntry {
    var task: TaskID? {
        switch self {
        case .journal(let entry): entry.task
        case .arrival(let task): task.id
        case .begin(let attempt): attempt.task
        }
    }
}

extension JournalEntry {
    var task: TaskID? {
        switch self {
        case .event(let event): event.task
        case .attempt(let attempt): attempt.task
        }
    }
}
