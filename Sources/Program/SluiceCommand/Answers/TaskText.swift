import SluiceControl
import SluiceModel

/// Tasks for people.
enum TaskText {
    static func table(
        _ entries: [ListPage.Entry], withQueue: Bool, about: [TaskID: String], names: TaskNames,
        now: Timestamp, real: Timestamp, width: Int?
    ) -> [String] {
        var columns: [TextTable<ListPage.Entry>.Column] = [
            .numbers("#") { names.word($0.line.task.id) },
            .words("TYPE", limit: 30) { $0.line.task.type },
            .words("GROUP", limit: 20) { group($0.line.task) },
            .spare("PRI") { $0.queue.settings.priorityNames.shown($0.line.task.priority) },
            .words("TRIES") { TaskSentences.tries($0.line.task, $0.queue) },
            .whole("STATE") {
                TaskSentences.state($0.line, names: names) + since($0.line, real: real)
            },
            .whole("DUE") { due($0.line, now: now) },
            .spare("AGE") { ClockText.age($0.line.task.createdAt, now: now) },
        ]
        if withQueue { columns.insert(.words("QUEUE", limit: 30) { $0.line.task.queue }, at: 1) }
        if entries.contains(where: { $0.line.took != nil }) {
            columns.append(.spare("TOOK") { $0.line.took.map(DurationText.taken) ?? "" })
        }
        if entries.contains(where: { progress($0.line) != nil }) {
            columns.append(.words("PROGRESS", limit: 40) { progress($0.line) ?? "" })
        }
        columns.append(.words("ERROR") { $0.line.task.error ?? "" })
        if !about.isEmpty {
            columns.append(.words("ABOUT", limit: 40) { about[$0.line.task.id] ?? "" })
        }
        return TextTable(columns).lines(entries, width)
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

    private static func progress(_ line: TaskLine) -> String? {
        line.task.running == nil ? nil : progress(line.fraction, line.progressText)
    }

    /// The share with the words, such as `40 % sending`; nil without both.
    static func progress(_ fraction: Double?, _ words: String?) -> String? {
        let share = fraction.map { "\(Int((100 * $0).rounded())) %" }
        let parts = [share, words].compactMap { $0 }
        return parts.isEmpty ? nil : parts.joined(separator: " ")
    }

    /// For how long a task runs, how long ago it ended, or that an app removes it.
    private static func since(_ line: TaskLine, real: Timestamp) -> String {
        switch line.task.state {
        case .waiting: line.expiresAtAppStart(real: real) ? ", \(ExpiringTasks.rowWords)" : ""
        case .running(let lease): " for \(DurationText.short(max(0, real - lease.since)))"
        case .succeeded, .failed, .deleted:
            line.task.endedAt.map { " \(ClockText.relative($0, now: real))" } ?? ""
        }
    }
}
