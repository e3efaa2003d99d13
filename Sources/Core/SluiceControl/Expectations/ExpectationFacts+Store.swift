import SluiceModel
import SluiceStore

/// The facts for expectations, read from one snapshot of a store.
struct StoreExpectationFacts: ExpectationFacts {
    /// The moment.
    let reading: Reading
    /// Attempts that ended before do not count as having run.
    let since: Timestamp?
    /// Whether to list the responsible tasks even if that needs another query.
    var namesTasks = false

    private var store: any StoreReader { reading.store }

    func live(in queue: String, first limit: Int) throws -> LiveTasks {
        let record = try store.requireQueue(queue)
        let counts = try store.counts(queue: record.name)
        let inbox = try store.inbox().tasks[record.name] ?? 0
        let first = try reading.list(
            queue: record.name, sections: [.running, .waiting], limit: limit)
        let lost = try reading.lostTasks(of: record.name, counts)
        return LiveTasks(
            waiting: counts[.waiting] + inbox + lost, running: counts[.running] - lost,
            first: first.map(\.task.id))
    }

    func count(_ filter: TaskFilter, first limit: Int) throws -> CountedTasks {
        let usual: Set<TaskState.Name> = [.running, .waiting, .failed]
        let states = filter.states(usually: usual)
        return try counted(filter, in: states, first: limit)
    }

    func ran(_ filter: TaskFilter, first limit: Int) throws -> CountedTasks {
        var count = 0
        let ready = try reading.ready(filter) ?? filter
        try eachEndedAttempt { attempt in
            if try ready.matches(attempt, reading) { count += 1 }
        }
        guard namesTasks else { return CountedTasks(count: count, first: []) }
        let live = try counted(filter, in: [.running, .waiting], first: limit, isEnough: true)
        return CountedTasks(count: count, first: live.first)
    }

    /// Counts matches. `isEnough` stops the count once the first ones are known.
    private func counted(
        _ filter: TaskFilter, in states: Set<TaskState.Name>, first limit: Int,
        isEnough: Bool = false
    ) throws -> CountedTasks {
        let filter = try reading.ready(filter)
        let names = filter?.names(of: .queue)
        let sections = ListSection.allCases.filter { states.contains($0.state) }
        var found = CountedTasks(count: 0, first: [])
        for queue in try store.queues(.holding(states)).map(\.record)
        where names?.contains(queue.name) ?? true {
            try FilteredQueue(reading, queue, filter).each(in: sections) { task in
                found.count += 1
                if found.first.count < limit { found.first.append(task.id) }
                return isEnough && found.first.count >= limit ? .stop : .goOn
            }
        }
        return found
    }

    /// Every attempt that ended since, the newest first.
    private func eachEndedAttempt(_ take: (AttemptRecord) throws -> Void) throws {
        var query = JournalQuery(limit: 1000, withUndo: false)
        while true {
            let page = try store.journal(query)
            guard let first = page.first else { return }
            var isOlder = since != nil
            for case .attempt(let attempt) in page {
                guard let end = attempt.endedAt, since.map({ end >= $0 }) ?? true else { continue }
                isOlder = false
                try take(attempt)
            }
            // The moments within a page may have any order; across pages they are ordered.
            if isOlder, page.allSatisfy({ LogEntry.journal($0).at < since ?? reading.real }) {
                return
            }
            guard page.count == query.limit else { return }
            query.before = first.sequence
        }
    }

    func task(_ reference: TaskReference) throws -> ExpectedTask? {
        let id: TaskID
        do {
            id = try store.number(of: reference)
        } catch let error as QueueError where error.code == .unknownTask {
            // A folder forgets the names of removed tasks, but their attempts keep the number.
            guard let number = reference.number else { return nil }
            id = number
        }
        if let task = try store.task(id) {
            let display = try reading.line(id).display
            return ExpectedTask(id: id, display: display, attempts: task.attempts)
        }
        let attempts = try store.attempts(of: id)
        guard let last = attempts.last else { return nil }
        return ExpectedTask(
            id: id, display: last.outcome == .success ? .succeeded : nil,
            attempts: attempts.count(where: \.isCounted), isGone: true)
    }

    func payload(of id: TaskID) throws -> [UInt8]? { try store.payload(of: id) }

    func name(_ id: TaskID) throws -> String { try reading.names(of: [id]).name(id) }
}

extension TaskFilter {
    /// Whether an attempt matches by its own fields.
    fileprivate func matches(_ attempt: AttemptRecord, _ reading: Reading) throws -> Bool {
        var task = QueueTask(
            id: attempt.task, queue: attempt.queue, type: attempt.type, position: 0,
            createdAt: attempt.startedAt)
        task.executions = attempt.number
        task.lastError = attempt.error
        let facts = KnownFacts(
            now: reading.now, real: reading.real, display: .succeeded, lastAttempt: attempt,
            uuid: try reading.store.naming?.uuid(of: attempt.task))
        return try matches(task, facts)
    }
}
