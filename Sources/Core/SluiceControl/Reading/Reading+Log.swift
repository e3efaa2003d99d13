public import SluiceModel
public import SluiceStore

/// What `log` tells a line about: what the journal holds, and tasks that came without a verb, which
/// their rows tell of (D9).
public enum LogEntry: Sendable {
    case journal(JournalEntry)
    /// A task that an app or a handler enqueued.
    case arrival(QueueTask)

    /// When it happened.
    public var at: Timestamp {
        switch self {
        case .journal(.event(let event)): event.at
        case .journal(.attempt(let attempt)): attempt.endedAt ?? attempt.startedAt
        case .arrival(let task): task.createdAt
        }
    }
}

/// How far a log was read.
public struct LogPlace: Hashable, Sendable {
    /// The last number of the journal.
    public var sequence: Int64 = 0
    /// The last number of a task.
    public var task: TaskID = 0

    /// The beginning.
    public init() {}
}

extension Reading {
    /// The newest lines of the log, in their order, and the place behind them.
    public func log(limit: Int) throws -> (entries: [LogEntry], end: LogPlace) {
        let journal = try store.journal(JournalQuery(limit: max(1, limit), withUndo: false))
        let tasks = try store.tasks(behind: nil, limit: max(1, limit))
        var end = LogPlace()
        end.sequence = journal.last?.sequence ?? 0
        end.task = tasks.last?.id ?? 0
        // Whose verb stands further back than was read came by that.
        let isCut = journal.count == max(1, limit)
        let first = isCut ? journal.first.map { LogEntry.journal($0).at } : nil
        let came = try arrivals(
            tasks.filter { task in first.map { task.createdAt > $0 } ?? true }, journal)
        return (Array(merged(journal, came).suffix(limit)), end)
    }

    /// What came behind a place, in its order, and the place behind that.
    public func log(
        behind place: LogPlace, limit: Int = 1000
    ) throws -> (entries: [LogEntry], end: LogPlace) {
        var query = JournalQuery(limit: limit, withUndo: false)
        query.after = place.sequence
        let journal = try store.journal(query)
        var tasks = try store.tasks(behind: place.task, limit: limit)
        // Whose verb may stand behind what was read is told with it.
        if journal.count == limit, let last = journal.last.map({ LogEntry.journal($0).at }) {
            tasks = Array(tasks.prefix { $0.createdAt < last })
        }
        var end = place
        end.sequence = journal.last?.sequence ?? place.sequence
        end.task = tasks.last?.id ?? place.task
        return (merged(journal, try arrivals(tasks, journal)), end)
    }

    /// The tasks that no verb among the entries brought, and that came from no other store.
    private func arrivals(
        _ tasks: [QueueTask], _ journal: [JournalEntry]
    ) throws -> [QueueTask] {
        var single: Set<TaskID> = []
        var moments: Set<Timestamp> = []
        for case .event(let event) in journal {
            guard ["enqueue", "duplicate", "import"].contains(event.kind) else { continue }
            if event.kind == "enqueue", let task = event.task {
                single.insert(task)
            } else {
                moments.insert(event.at)
            }
        }
        return try tasks.filter { task in
            try !single.contains(task.id) && !moments.contains(task.createdAt)
                && store.origin(of: task.id) == nil
        }
    }

    /// Both by their moments; neither leaves its own order.
    private func merged(_ journal: [JournalEntry], _ came: [QueueTask]) -> [LogEntry] {
        var (all, rest) = ([LogEntry](), came[...])
        for entry in journal.map(LogEntry.journal) {
            while let task = rest.first, task.createdAt <= entry.at {
                all.append(.arrival(task))
                rest = rest.dropFirst()
            }
            all.append(entry)
        }
        return all + rest.map(LogEntry.arrival)
    }
}
