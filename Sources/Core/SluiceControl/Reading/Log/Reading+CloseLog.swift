import SluiceModel
import SluiceStore

/// The additions of the detailed log: starts of executions, and queue lengths at arrivals. Both
/// come from existing rows (D9).
extension Reading {
    /// The starts of executions not reported yet, both ended and running. Omits running ones if
    /// more lines remain to read.
    func begins(
        _ journal: [JournalEntry], isWhole: Bool, _ told: inout Set<LogEntry.Execution>
    ) throws -> [AttemptRecord] {
        var begins: [AttemptRecord] = []
        for case .attempt(let attempt) in journal where told.remove(attempt.execution) == nil {
            begins.append(attempt)
        }
        guard isWhole else { return begins }
        var running: Set<LogEntry.Execution> = []
        for process in try store.processes() {
            for task in try store.tasksRun(by: process.id) {
                guard let lease = task.running else { continue }
                let attempt = AttemptRecord(task: task, lease)
                running.insert(attempt.execution)
                if !told.contains(attempt.execution) { begins.append(attempt) }
            }
        }
        told = running
        return begins
    }

    /// Inserts starts among lines: after lines up to their moments, and before their own ends.
    func placed(_ begins: [AttemptRecord], among lines: [LogLine]) -> [LogLine] {
        var rest = begins.sorted { ($0.startedAt, $0.task) < ($1.startedAt, $1.task) }[...]
        var open = Dictionary(begins.map { ($0.execution, $0) }) { first, _ in first }
        var all: [LogLine] = []
        func place(_ begin: AttemptRecord) {
            guard open.removeValue(forKey: begin.execution) != nil else { return }
            all.append(LogLine(.begin(begin)))
        }
        for line in lines {
            while let next = rest.first, next.startedAt < line.entry.at {
                place(next)
                rest = rest.dropFirst()
            }
            if case .journal(.attempt(let end)) = line.entry, let own = open[end.execution] {
                place(own)
            }
            all.append(line)
        }
        rest.forEach(place)
        return all
    }

    /// Adds the queue's length to each arrival (after it) and to each start (its task included).
    /// Computes it backward from the present length, with later arrivals removed and later
    /// departures added. Stops at a departure without a line. `tasks` are all existing tasks from
    /// the number `first` on.
    func counted(
        _ lines: [LogLine], _ tasks: [QueueTask], from first: TaskID
    ) throws -> [LogLine] {
        var lines = lines
        var fillings: [String: Filling] = [:]
        var gone: [String: [TaskID]] = [:]
        let former = Self.lastArrivals(beforeStartsIn: lines, tasks)
        var withArrivals: Set<String> = []
        for place in lines.indices.reversed() {
            let entry = lines[place].entry
            guard entry.keepsCounts else { break }
            if let (queue, task) = entry.left { gone[queue, default: []].append(task) }
            var last: TaskID?
            if case .begin(let attempt) = entry {
                last = withArrivals.contains(attempt.queue) ? former[place] : .max
            } else if let queue = entry.queueWithArrival {
                withArrivals.insert(queue)
                last = entry.lastArrival(among: tasks)
            }
            guard let queue = entry.countedQueue, let last, last >= first else { continue }
            let filling = try fillings[queue] ?? filling(of: queue, tasks)
            fillings[queue] = filling
            guard filling.since.map({ $0 < entry.at }) ?? true else { continue }
            lines[place].inQueue =
                filling.held - filling.open.count { $0 > last }
                + (gone[queue]?.count { $0 <= last } ?? 0)
        }
        return lines
    }

    /// The last task that came before each start; none where that is not known.
    private static func lastArrivals(
        beforeStartsIn lines: [LogLine], _ tasks: [QueueTask]
    ) -> [Int: TaskID] {
        var last: [String: TaskID] = [:]
        var found: [Int: TaskID] = [:]
        for (place, line) in lines.enumerated() {
            if case .begin(let attempt) = line.entry {
                found[place] = last[attempt.queue]
            } else if let queue = line.entry.queueWithArrival {
                last[queue] = line.entry.lastArrival(among: tasks)
            }
        }
        return found
    }

    /// The present length of a queue, and the known part of its history.
    private struct Filling {
        /// How many wait or run now.
        var held: Int
        /// The newest of them.
        var open: [TaskID]
        /// Up to here something may have left without a line.
        var since: Timestamp?
    }

    private func filling(of queue: String, _ tasks: [QueueTask]) throws -> Filling {
        let counts = try store.counts(queue: queue)
        let open = tasks.filter {
            $0.queue == queue && ($0.waiting != nil || $0.running != nil)
        }
        var filling = Filling(
            held: counts[.waiting] + counts[.running], open: open.map(\.id))
        // The trash records replaced tasks, and members given up along with a start.
        var states: [TaskState.Name] = [.deleted]
        if try store.queue(named: queue)?.settings.whenStartFails == .giveUp {
            states.append(.failed)
        }
        for state in states where counts[state] > 0 {
            let newest = TaskQuery(queue: queue, state: state, limit: 1)
            let end = try store.tasks(matching: newest).first?.endedAt
            filling.since = [filling.since, end].compactMap { $0 }.max()
        }
        return filling
    }
}

extension LogEntry {
    fileprivate var queueWithArrival: String? {
        switch self {
        case .arrival(let task): task.queue
        case .journal(.event(let event)) where Self.arrivals.contains(event.kind): event.queue
        case .journal, .begin: nil
        }
    }

    /// The queue whose length its line says.
    fileprivate var countedQueue: String? {
        if case .begin(let attempt) = self { attempt.queue } else { queueWithArrival }
    }

    /// The number of the last task that came; nil if that is not known.
    fileprivate func lastArrival(among tasks: [QueueTask]) -> TaskID? {
        switch self {
        case .arrival(let task): task.id
        case .journal(.event(let event)):
            event.task ?? tasks.last { $0.createdAt == at && $0.queue == event.queue }?.id
        case .journal(.attempt), .begin: nil
        }
    }

    /// The task that left its queue, and that queue.
    fileprivate var left: (queue: String, task: TaskID)? {
        switch self {
        case .journal(.attempt(let attempt)):
            let isOver =
                attempt.outcome == .success
                || ["given up", "deleted"].contains(attempt.consequence)
            return isOver ? (attempt.queue, attempt.task) : nil
        case .journal(.event(let event)) where event.kind == "expired":
            guard let queue = event.queue, let task = event.task else { return nil }
            return (queue, task)
        case .journal, .arrival, .begin: return nil
        }
    }

    /// Whether it says all that it changed about how many tasks its queue holds.
    fileprivate var keepsCounts: Bool {
        guard case .journal(.event(let event)) = self else { return true }
        return event.isDetail || Self.arrivals.contains(event.kind)
            || Self.plain.contains(event.kind)
    }

    /// The kinds of lines about what came: by a verb, and from the program that shares a folder.
    private static let arrivals: Set<String> = [
        "enqueue", "enqueued", JournalEvent.scheduled,
    ]

    /// The kinds of lines that keep the queue's length, together with verbs that declare it.
    private static let plain: Set<String> = Set(
        Action.all.compactMap(\.verb).filter { $0.keepsQueueLength }.map { $0.name }
    ).union([
        "expired", "run", "runEnded", "pause", "resume", "network", "queueSet", "scheduleSet",
        "scheduleRemove", "schedulePause", "scheduleResume",
    ])
}
