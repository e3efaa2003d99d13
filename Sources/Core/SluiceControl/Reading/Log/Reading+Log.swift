package import SluiceModel
package import SluiceStore

/// What `log` tells a line about: what the journal holds, and what stands in rows of tasks and
/// executions alone (D9).
package enum LogEntry: Hashable, Sendable, Identifiable {
    case journal(JournalEntry)
    /// A task that an app or a handler enqueued; here it came when it did in real time.
    case arrival(QueueTask)
    /// An execution that began; only a close look is told.
    case begin(AttemptRecord)

    /// What an entry is known by.
    package enum ID: Hashable, Sendable {
        case journal(Int64)
        case arrival(TaskID)
        case begin(Execution)
    }

    /// An execution by its task and number.
    package struct Execution: Hashable, Sendable {
        var task: TaskID
        var number: Int
    }

    /// What it is known by.
    package var id: ID {
        switch self {
        case .journal(let entry): .journal(entry.sequence)
        case .arrival(let task): .arrival(task.id)
        case .begin(let attempt): .begin(attempt.execution)
        }
    }

    /// When it happened.
    package var at: Timestamp {
        switch self {
        case .journal(.event(let event)): event.at
        case .journal(.attempt(let attempt)): attempt.endedAt ?? attempt.startedAt
        case .arrival(let task): task.createdAt
        case .begin(let attempt): attempt.startedAt
        }
    }

    /// The tasks that its line names; sentences about runs name some.
    package var tasks: [TaskID] {
        switch self {
        case .journal(.event(let event)):
            [event.task].compactMap { $0 }
                + (event.isDetail || event.kind == "resume"
                    ? TaskNames.mentioned(in: event.text) : [])
        case .journal(.attempt(let attempt)), .begin(let attempt): [attempt.task]
        case .arrival(let task): [task.id] + [task.parent].compactMap { $0 }
        }
    }
}

/// A line of the log.
package struct LogLine: Hashable, Sendable {
    /// What it tells of.
    package var entry: LogEntry
    /// How many tasks its queue held when its task had come; nil where that is not known, or nobody
    /// looks closely.
    package var inQueue: Int?

    /// A line about an entry.
    package init(_ entry: LogEntry) { self.entry = entry }

    /// What a sentence about the entry says of that number.
    package var countWords: String { inQueue.map { ", \($0) in the queue" } ?? "" }
}

extension AttemptRecord {
    var execution: LogEntry.Execution {
        LogEntry.Execution(task: task, number: number)
    }

    /// What is said of its begin.
    package var beginWords: String { number > 1 ? "starts, attempt \(number)" : "starts" }
}

/// How far a log was read.
package struct LogPlace: Hashable, Sendable {
    /// The last number of the journal.
    package var sequence: Int64 = 0
    /// The last number of a task.
    package var task: TaskID = 0
    /// The executions that went on, and whose begins were told.
    var begun: Set<LogEntry.Execution> = []

    /// The beginning.
    package init() {}
}

extension Reading {
    /// The newest lines of the log in their order, of one queue or all, and the place behind them.
    /// A close look has also runs, their timers, begins of executions and how full a queue was.
    package func log(
        limit: Int, of queue: String? = nil, isClose: Bool = false, withUndo: Bool = false
    ) throws -> (lines: [LogLine], end: LogPlace) {
        let count = max(1, limit)
        var query = JournalQuery(limit: count, withUndo: withUndo, withDetail: isClose)
        query.queue = queue
        let journal = try store.journal(query)
        let tasks = try store.tasks(.newest(), limit: count).reversed().map(inRealTime)
        var end = LogPlace()
        end.sequence = journal.last?.sequence ?? 0
        end.task = tasks.last?.id ?? 0
        // Whose verb stands further back than was read came by that.
        let first = journal.count == count ? journal.first.map { LogEntry.journal($0).at } : nil
        let came = try arrivals(
            tasks.filter { task in
                try task.queue == queue ?? task.queue
                    && first.map { try task.createdAt > $0 && !isBroughtEarlier(task) } ?? true
            }, journal)
        var lines = merged(journal, came).map(LogLine.init)
        if isClose {
            let begins = try begins(journal, isWhole: true, &end.begun).filter { begin in
                begin.queue == queue ?? begin.queue && first.map { begin.startedAt >= $0 } ?? true
            }
            let from = tasks.count < count ? 0 : tasks.first?.id ?? 0
            lines = try counted(placed(begins, among: lines), tasks, from: from)
        }
        return (Array(lines.suffix(limit)), end)
    }

    /// What came behind a place, in its order, and the place behind that.
    package func log(
        behind place: LogPlace, limit: Int = 1000, isClose: Bool = false, withUndo: Bool = false
    ) throws -> (lines: [LogLine], end: LogPlace) {
        var query = JournalQuery(limit: limit, withUndo: withUndo, withDetail: isClose)
        query.after = place.sequence
        let journal = try store.journal(query)
        var tasks = try store.tasks(.numbered(after: place.task), limit: limit).map(inRealTime)
        let isWhole = journal.count < limit && tasks.count < limit
        // Whose verb may stand behind what was read is told with it.
        if journal.count == limit, let last = journal.last.map({ LogEntry.journal($0).at }) {
            let verbs = Bringers(journal)
            tasks = Array(tasks.prefix { $0.createdAt < last || verbs.brought($0) })
        }
        var end = place
        end.sequence = journal.last?.sequence ?? place.sequence
        end.task = tasks.last?.id ?? place.task
        var lines = merged(journal, try arrivals(tasks, journal)).map(LogLine.init)
        if isClose {
            let begins = try begins(journal, isWhole: isWhole, &end.begun)
            lines = placed(begins, among: lines)
            if isWhole { lines = try counted(lines, tasks, from: place.task) }
        }
        return (lines, end)
    }

    /// A task as the journal would have it: its row says by the clock of the store when it came,
    /// and in real time when it last changed (G3).
    func inRealTime(_ task: QueueTask) -> QueueTask {
        guard store.naming == nil else { return task }
        var task = task
        let came = task.version == 1 ? task.updatedAt : time.moment(of: task.createdAt)
        task.createdAt = min(came ?? task.updatedAt, task.updatedAt)
        return task
    }

    /// Whether a verb brought a task of which the row does not say in real time when it came.
    private func isBroughtEarlier(_ task: QueueTask) throws -> Bool {
        guard task.version > 1, task.createdAt == task.updatedAt || time != .real else {
            return false
        }
        var query = JournalQuery(limit: 1, withUndo: false)
        (query.task, query.after) = (task.id, 0)
        return Bringers(try store.journal(query)).brought(task)
    }

    /// The tasks that no verb among the entries brought, and that came from no other store.
    private func arrivals(
        _ tasks: [QueueTask], _ journal: [JournalEntry]
    ) throws -> [QueueTask] {
        let verbs = Bringers(journal)
        return try tasks.filter { try !verbs.brought($0) && store.origin(of: $0.id) == nil }
    }

    /// The verbs among some entries that brought tasks.
    private struct Bringers {
        private var single: Set<TaskID> = []
        private var moments: Set<Timestamp> = []
        /// Those of which a line about one task names it.
        private static let ofOne: Set<String> = ["enqueue", JournalEvent.scheduled]
        private static let kinds = ofOne.union(["duplicate", "import"])

        init(_ journal: [JournalEntry]) {
            for case .event(let event) in journal {
                guard Self.kinds.contains(event.kind) else { continue }
                if Self.ofOne.contains(event.kind), let task = event.task {
                    single.insert(task)
                } else {
                    moments.insert(event.at)
                }
            }
        }

        func brought(_ task: QueueTask) -> Bool {
            single.contains(task.id) || moments.contains(task.createdAt)
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
