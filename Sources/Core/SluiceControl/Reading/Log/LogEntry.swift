package import SluiceModel
package import SluiceStore

/// An entry of `log`: a journal line, or an event that only rows of tasks and executions record
/// (D9).
package enum LogEntry: Hashable, Sendable, Identifiable {
    case journal(JournalEntry)
    /// A task that an app or a handler enqueued; here it came when it did in real time.
    case arrival(QueueTask)
    /// The start of an execution, in the detailed log only.
    case begin(AttemptRecord)

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

    package var id: ID {
        switch self {
        case .journal(let entry): .journal(entry.sequence)
        case .arrival(let task): .arrival(task.id)
        case .begin(let attempt): .begin(attempt.execution)
        }
    }

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

package struct LogLine: Hashable, Sendable {
    package var entry: LogEntry
    /// The queue's length after the task's arrival; `nil` if unknown or not in the detailed log.
    package var inQueue: Int?

    package init(_ entry: LogEntry) { self.entry = entry }

    /// The suffix with that number.
    package var countWords: String { inQueue.map { ", \($0) in the queue" } ?? "" }
}

extension AttemptRecord {
    var execution: LogEntry.Execution {
        LogEntry.Execution(task: task, number: number)
    }

    package var beginWords: String { number > 1 ? "starts, attempt \(number)" : "starts" }
}

/// The position of a reader in the log.
package struct LogPlace: Hashable, Sendable {
    /// The last number of the journal.
    package var sequence: Int64 = 0
    /// The last number of a task.
    package var task: TaskID = 0
    /// The running executions whose starts the log has reported.
    var begun: Set<LogEntry.Execution> = []

    package init() {}
}

extension Reading {
    /// The newest lines, oldest first, and the place after them; `nil` means all queues. The
    /// detailed log adds runs, timers, starts of executions and queue lengths.
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
        // Omit tasks older than the lines read, because an earlier verb may have brought them.
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

    /// The lines after a place, oldest first, and the place after them.
    package func log(
        behind place: LogPlace, limit: Int = 1000, isClose: Bool = false, withUndo: Bool = false
    ) throws -> (lines: [LogLine], end: LogPlace) {
        var query = JournalQuery(limit: limit, withUndo: withUndo, withDetail: isClose)
        query.after = place.sequence
        let journal = try store.journal(query)
        var tasks = try store.tasks(.numbered(after: place.task), limit: limit).map(inRealTime)
        let isWhole = journal.count < limit && tasks.count < limit
        // Defer a task whose verb may follow the lines read, and report both together.
        if journal.count == limit, let last = journal.last.map({ LogEntry.journal($0).at }) {
            let verbs = ArrivalVerbs(journal)
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

    /// Whether a verb brought a task whose row does not record its arrival in real time.
    private func isBroughtEarlier(_ task: QueueTask) throws -> Bool {
        guard task.version > 1, task.createdAt == task.updatedAt || time != .real else {
            return false
        }
        var query = JournalQuery(limit: 1, withUndo: false)
        (query.task, query.after) = (task.id, 0)
        return ArrivalVerbs(try store.journal(query)).brought(task)
    }

    /// The tasks that no verb among the entries brought, and that came from no other store.
    private func arrivals(
        _ tasks: [QueueTask], _ journal: [JournalEntry]
    ) throws -> [QueueTask] {
        let verbs = ArrivalVerbs(journal)
        return try tasks.filter { try !verbs.brought($0) && store.origin(of: $0.id) == nil }
    }

    /// The verbs among some entries that brought tasks.
    private struct ArrivalVerbs {
        private var single: Set<TaskID> = []
        private var moments: Set<Timestamp> = []
        /// Kinds whose line names the task if it is about one task.
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

    /// Merges both by time and keeps the order within each.
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

/// Moments on a line of time from a moment on: how many each queue has in parts that grow with
/// their distance, of what a list of the soonest does not have.
package struct Timeline: Hashable, Sendable {
    /// The queues that have a row, in the order of the priorities.
    package var queues: [String] = []
    /// The timers of these queues beyond the list, by part, each counted up to `countLimit`.
    package var beyond: [String: [Int: Int]] = [:]
    /// How many queues have more than the list but were not counted.
    package var uncounted = 0
    /// The number of timers, including the list.
    package var total = 0

    /// The number of parts of a day. The first part is one second long, and each ends 1.2 times as
    /// far as the previous one. The index `parts` means later.
    package static let parts = 61
    /// More in one part are not counted.
    package static let countLimit = 65
    /// The maximum number of queues to count.
    package static let queueLimit = 12

    private static let ends: [Int64] = (0..<parts).map { part in
        // The sixtieth root of a day in seconds.
        let root = 1.208_579_515_573_377_4
        return Int64((0..<part).reduce(1000.0) { end, _ in end * root } + 0.5)
    }

    /// The part that contains a wait of this length.
    package static func part(of milliseconds: Int64) -> Int {
        ends.firstIndex { milliseconds <= $0 } ?? parts
    }

    /// No moments.
    package init() {}
}

extension Reading {
    /// Counts the timers of `queues` after a list of the first `limit` timers. `ofQueues` are
    /// timers without a task. Counts each part of a queue only up to a limit.
    package func timeline(
        behind listed: [TimerLine], limit: Int, beside ofQueues: [TimerLine],
        of queues: [QueueOverview]
    ) throws -> Timeline {
        var line = Timeline()
        line.total = listed.count
        if listed.count >= limit, let last = listed.last {
            let rest = ofQueues.filter { ($0.at, 0) > (last.at, last.id ?? 0) }
            for timer in rest {
                line.beyond[timer.queue, default: [:]][
                    Timeline.part(of: timer.at - now), default: 0] += 1
            }
            let timed = queues.filter { $0.counts.timed > 0 }.map(\.queue.name)
            line.uncounted = max(0, timed.count - Timeline.queueLimit)
            for name in timed.prefix(Timeline.queueLimit) {
                let found = try count(of: name, after: TimerCursor(at: last.at, id: last.id ?? 0))
                line.beyond[name, default: [:]].merge(found, uniquingKeysWith: +)
            }
            let all = try store.counts(of: nil).timed + ofQueues.count
            line.total = max(line.total, all)
        }
        var left = Set(listed.map(\.queue)).union(line.beyond.filter { !$0.value.isEmpty }.keys)
        line.queues = (queues.map(\.queue.name) + listed.map(\.queue) + line.beyond.keys.sorted())
            .filter { left.remove($0) != nil }
        return line
    }

    /// From one part that has something to the next one, so that empty ones cost nothing.
    private func count(of queue: String, after: TimerCursor) throws -> [Int: Int] {
        var counts: [Int: Int] = [:]
        var place = after
        while let next = try store.first(.timers(queue: queue, after: place))?.wakesAt {
            let part = Timeline.part(of: next - now)
            let end = Timeline.end(of: part).map { now + $0 }
            counts[part] = try store.countTasks(
                .timers(queue: queue, after: place, through: end), limit: Timeline.countLimit)
            guard let end else { break }
            place = TimerCursor(at: end, id: .max)
        }
        return counts
    }
}

extension Timeline {
    fileprivate static func end(of part: Int) -> Int64? {
        ends.indices.contains(part) ? ends[part] : nil
    }
}

extension QueueCounts {
    /// The number of tasks whose timer was still ahead at the last write.
    fileprivate var timed: Int {
        waitingByFlags.reduce(0) { sum, entry in
            entry.key.isDisjoint(with: [.retrying, .delayed]) ? sum : sum + entry.value
        }
    }
}
