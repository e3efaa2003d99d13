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
            .words("TYPE", limit: 30), .words("GROUP", limit: 20), .spare("PRI"),
            .words("TRIES"), .whole("STATE"), .whole("DUE"), .spare("AGE"),
        ]
        if hasTimes { columns.append(.spare("TOOK")) }
        columns.append(.words("ERROR"))
        var table = TextTable(columns)
        table.rows = entries.map { entry in
            let task = entry.line.task
            return [names.word(task.id)] + (withQueue ? [task.queue] : [])
                + [
                    task.type, group(task),
                    entry.queue.settings.priorityNames.shown(task.priority),
                    TaskSentences.tries(task, entry.queue),
                    TaskSentences.state(entry.line, names: names)
                        + since(entry.line, real: real),
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
