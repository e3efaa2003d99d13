import SluiceControl
import SluiceModel

/// Tasks for people.
enum TaskText {
    /// A list of tasks as a table.
    static func table(
        _ entries: [ListPage.Entry], withQueue: Bool, names: TaskNames, now: Timestamp,
        real: Timestamp, width: Int?
    ) -> [String] {
        var columns: [TextTable.Column] = [.numbers("#")]
        if withQueue { columns.append(.words("QUEUE", limit: 30)) }
        let hasTimes = entries.contains { $0.line.took != nil }
        columns += [
            .words("TYPE", limit: 30), .words("GROUP", limit: 20), .numbers("PRI"),
            .words("TRIES"), .words("STATE"), .whole("DUE"), .numbers("AGE"),
        ]
        if hasTimes { columns.append(.numbers("TOOK")) }
        columns.append(.words("ERROR"))
        var table = TextTable(columns)
        table.rows = entries.map { entry in
            let task = entry.line.task
            return [names.word(task.id)] + (withQueue ? [task.queue] : [])
                + [
                    task.type, group(task),
                    entry.queue.settings.priorityNames.shown(task.priority),
                    tries(task, entry.queue),
                    state(entry.line, names: names) + since(entry.line, real: real),
                    due(entry.line, now: now), ClockText.age(task.createdAt, now: now),
                ] + (hasTimes ? [entry.line.took.map(DurationText.taken) ?? ""] : [])
                + [task.error ?? ""]
        }
        return table.lines(width)
    }

    /// The groups of a task: the one it starts has a `+`.
    static func group(_ task: QueueTask) -> String {
        let start = task.groupStart.map { ["+\($0)"] } ?? []
        return (start + task.groupMembers).joined(separator: ",")
    }

    /// Counted executions of those allowed.
    static func tries(_ task: QueueTask, _ queue: QueueRecord) -> String {
        let limit = task.attemptLimit ?? queue.settings.attemptLimit
        return "\(task.attempts)/\(limit.map(String.init) ?? "-")"
    }

    /// What a task shows, with the one word that explains it.
    static func state(_ line: TaskLine, names: TaskNames) -> String {
        switch line.display {
        case .held: return line.heldBy.map { "held by \(names.name($0))" } ?? "held"
        case .skipped: return "skipped by \(line.task.waiting?.skip?.by ?? "")"
        case .parked: return "parked: \(line.task.waiting?.parking?.cause.rawValue ?? "")"
        case .running, .stuck:
            let lease = line.task.running
            if line.isLost { return "stuck, runner \(lease?.owner ?? 0) died" }
            let percent = line.fraction.map { " \(Int($0 * 100))%" } ?? ""
            return "\(line.display.rawValue)\(percent), runner \(lease?.owner ?? 0)"
        default: return line.display.rawValue
        }
    }

    /// When a waiting task is due; nothing for one that does not wait for a moment.
    private static func due(_ line: TaskLine, now: Timestamp) -> String {
        guard let waiting = line.task.waiting else { return "" }
        if let timer = waiting.timer, timer.until > now {
            return ClockText.relative(timer.until, now: now)
        }
        return line.display == .next || line.display == .due ? "now" : ""
    }

    /// For how long a task runs, or how long ago it ended.
    private static func since(_ line: TaskLine, real: Timestamp) -> String {
        switch line.task.state {
        case .waiting: ""
        case .running(let lease): " for \(DurationText.short(max(0, real - lease.since)))"
        case .succeeded, .failed, .deleted:
            line.task.endedAt.map { " \(ClockText.relative($0, now: real))" } ?? ""
        }
    }
}
