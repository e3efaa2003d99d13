package import SluiceModel
import SluiceStore

extension Reading {
    /// A page of a queue's tasks in the running order. Running tasks come first, then waiting ones
    /// in the queue's order, then failed ones, newest first. Succeeded and deleted tasks require
    /// `sections`. The page follows `place`, or precedes it if `isBackwards`, without a change of
    /// order.
    package func list(
        queue name: String, sections: [ListSection] = [.running, .waiting, .failed],
        from place: ListPlace? = nil, isBackwards: Bool = false, limit: Int,
        withBlockers: Bool = false
    ) throws -> [TaskLine] {
        let queue = try store.requireQueue(name)
        let ordered = isBackwards ? sections.reversed() : sections
        let start = place.flatMap { place in ordered.firstIndex { $0 == place.section } } ?? 0
        var tasks: [QueueTask] = []
        for (index, section) in ordered.enumerated() where index >= start {
            guard tasks.count < limit else { break }
            var query = TaskQuery(queue: name, state: section.state, limit: limit - tasks.count)
            query.isBackwards = isBackwards
            if index == start { query.after = place?.key }
            tasks += try store.tasks(matching: query)
        }
        if isBackwards { tasks.reverse() }
        return try lines(tasks, of: queue, withBlockers: withBlockers)
    }

    package func lines(
        _ tasks: [QueueTask], of queue: QueueRecord, withBlockers: Bool = false
    ) throws -> [TaskLine] {
        guard !tasks.isEmpty else { return [] }
        let shown = try ShownQueue(self, queue)
        return try tasks.map { try shown.line(of: $0, withBlockers: withBlockers) }
    }

    /// One task as a line, with its blockers.
    package func line(_ id: TaskID) throws -> TaskLine {
        let task = try store.requireTask(id)
        let queue = try store.requireQueue(task.queue)
        guard var line = try lines([task], of: queue, withBlockers: true).first else {
            throw QueueError.unknownTask(id)
        }
        line.blockers = line.blockers.ownFirst
        return line
    }

    package func detail(_ id: TaskID) throws -> TaskDetail {
        let line = try line(id)
        return TaskDetail(
            line: line, queue: try store.named(try store.requireQueue(line.task.queue)),
            payload: try store.payload(of: id) ?? [], result: try store.result(of: id),
            attempts: try store.attempts(of: id), followUps: try store.followUps(of: id),
            twins: try TwinFinder(store).twins(of: line.task), steppers: try steppers(of: id))
    }

    /// Who stepped executions of a task, each with the moment, the oldest first.
    private func steppers(of id: TaskID) throws -> [JournalEvent] {
        var query = JournalQuery(limit: Self.journalLimit, withUndo: false)
        query.task = id
        return try store.journal(query).compactMap { entry in
            guard case .event(let event) = entry, event.kind == JournalEvent.step else {
                return nil
            }
            return event
        }
    }

    /// The same without its result and without a payload that is not short.
    package func preview(_ id: TaskID) throws -> TaskDetail {
        let line = try line(id)
        let limit = StoreRecord.shortPayloadBytes
        let head = try store.payloadHeads(of: [id], first: limit)[id]
        return TaskDetail(
            line: line, queue: try store.requireQueue(line.task.queue),
            payload: head?.bytes ?? [], result: nil, attempts: try store.attempts(of: id),
            followUps: [], leftOutBytes: head.flatMap { $0.isWhole ? nil : $0.size })
    }

    /// Why a task is not running, the chain of the starts before it followed: each step with its
    /// own blockers, at most 10 deep.
    package func why(_ id: TaskID) throws -> [TaskLine] {
        var chain: [TaskLine] = []
        var next: TaskID? = id
        while let current = next, chain.count < 10,
            !chain.contains(where: { $0.task.id == current })
        {
            let line = try line(current)
            chain.append(line)
            next = line.blockers.first { $0.kind == .groupStart || $0.kind == .headOfQueue }?.task
        }
        return chain
    }
}

/// Everything that `show` and the detail view tell of a task.
package struct TaskDetail: Hashable, Sendable {
    package var line: TaskLine
    package var queue: QueueRecord
    package var payload: [UInt8]
    /// Its result, if it has one.
    package var result: [UInt8]?
    /// Its executions, oldest first.
    package var attempts: [AttemptRecord]
    /// The tasks that its handler enqueued.
    package var followUps: [TaskID]
    /// The tasks with its type and payload, created within a minute of it in the same queue.
    package var twins: [TaskID] = []
    /// The result of one of its attempts in words.
    package func words(of attempt: AttemptRecord) -> AttemptText {
        AttemptText(attempt, isLost: line.isLost)
    }
    /// The lines of the log about who stepped it, oldest first.
    var steppers: [JournalEvent] = []
    /// The size of a payload too long to read; `nil` otherwise.
    package var leftOutBytes: Int?
}

extension TaskDetail {
    /// The person who stepped an attempt; `nil` without a step.
    package func stepper(of attempt: AttemptRecord) -> String? {
        let before = attempts.last { $0.number < attempt.number }?.startedAt
        return steppers.last { event in
            event.at <= attempt.startedAt && before.map { event.at >= $0 } ?? true
        }?.by
    }
}

extension [Blocker] {
    /// The blockers of the task first, then of its queue, then of the runners.
    fileprivate var ownFirst: [Blocker] {
        Blocker.Bearer.allCases.flatMap { bearer in filter { $0.kind.bearer == bearer } }
    }
}

extension Reading {
    /// Short summaries of tasks: the values at the queue's configured paths (Q12), else the task's
    /// label, else the first values of its payload. Omits tasks without a summary. A binary or long
    /// payload gives its length.
    package func about(_ tasks: [QueueTask]) throws -> [TaskID: String] {
        let paths = try summaryPaths(of: tasks)
        let named = tasks.filter { paths[$0.queue] != nil }
        let wholes = try store.payloadHeads(
            of: named.map(\.id), first: StoreRecord.shortPayloadBytes)
        let unnamed = tasks.filter { $0.label == nil && paths[$0.queue] == nil }.map(\.id)
        let heads = try store.payloadHeads(of: unnamed, first: PayloadSummary.byteLimit)
        var found: [TaskID: String] = [:]
        for task in tasks {
            let head = wholes[task.id] ?? heads[task.id]
            let summary = head.flatMap { head in
                paths[task.queue].flatMap { PayloadSummary(of: head, at: $0) }
            }
            let text = summary?.text ?? task.label ?? head.map { PayloadSummary(of: $0).text }
            if let text, !text.isEmpty { found[task.id] = text }
        }
        return found
    }

    private func summaryPaths(of tasks: [QueueTask]) throws -> [String: SummaryPaths] {
        var found: [String: SummaryPaths] = [:]
        for name in Set(tasks.map(\.queue)) {
            if let paths = try store.queue(named: name)?.settings.summary, !paths.paths.isEmpty {
                found[name] = paths
            }
        }
        return found
    }
}

/// An edit that gave a task another payload, with the one that it had before: the journal keeps
/// that for `undo` (D9).
package struct PayloadChange: Hashable, Sendable {
    /// The edit's place in the journal.
    package var sequence: Int64
    package var at: Timestamp
    package var by: String
    package var before: [UInt8]
    /// When a person undid the edit; its new payload is then lost.
    package var undoneAt: Timestamp?

    /// An edit with all its parts.
    package init(
        sequence: Int64, at: Timestamp, by: String, before: [UInt8], undoneAt: Timestamp? = nil
    ) {
        self.sequence = sequence
        self.at = at
        self.by = by
        self.before = before
        self.undoneAt = undoneAt
    }
}

extension Reading {
    /// The number of journal lines of a task to search for edits and steps.
    static let journalLimit = 1000

    /// The last edits of a task's payload, oldest first. Covers edits of this task alone, within
    /// the journal's last 1,000 lines about it.
    package func payloadChanges(of id: TaskID, limit: Int = 20) throws -> [PayloadChange] {
        var query = JournalQuery(limit: Self.journalLimit)
        query.task = id
        var changes: [PayloadChange] = []
        for case .event(let event) in try store.journal(query).reversed() {
            guard changes.count < limit else { break }
            let image = event.undo?.tasks.first { $0.id == id }
            guard let before = image?.payloadBefore else { continue }
            changes.append(
                PayloadChange(
                    sequence: event.sequence, at: event.at, by: event.by, before: before,
                    undoneAt: try event.undoneBy.flatMap { try store.event($0)?.at }))
        }
        return changes.reversed()
    }
}

extension [PayloadChange] {
    /// The payload with which an execution ran that ended at a place in the journal; `current` is
    /// the task's own.
    package func payload(at sequence: Int64, current: [UInt8]) -> [UInt8] {
        guard sequence > 0 else { return current }
        return first { $0.sequence > sequence }?.before ?? current
    }

    /// The payload after an edit; `nil` if a person undid the edit.
    package func payload(after index: Int, current: [UInt8]) -> [UInt8]? {
        guard self[index].undoneAt == nil else { return nil }
        return index + 1 < count ? self[index + 1].before : current
    }
}

/// Which tasks a predicate selects (D10).
extension Reading {
    /// The matching tasks of some queues, in running order, with their present versions (D8). Keeps
    /// only numbers and versions, so that a million fit. `sections` limits the search to parts of
    /// the list.
    package func targets(
        in queues: [QueueRecord], sections: [ListSection], matching filter: TaskFilter?
    ) throws -> [TaskTarget] {
        let filter = try ready(filter)
        let names = filter?.names(of: .queue)
        var found: [TaskTarget] = []
        for queue in queues where names?.contains(queue.name) ?? true {
            try FilteredQueue(self, queue, filter).each(in: sections) { task in
                found.append(TaskTarget(task))
                return .goOn
            }
        }
        return found
    }

    /// Resolves a filter for this store: finds the tasks of a folder's UUIDs. Throws `badFilter`
    /// for a UUID in a store whose tasks have none.
    package func ready(_ filter: TaskFilter?) throws -> TaskFilter? {
        try filter?.finding { try self.tasks($0) }
    }

    private func tasks(_ reference: TaskReference) throws -> [TaskID] {
        if let number = reference.number, try store.task(number) != nil { return [] }
        if let naming = store.naming {
            return try naming.tasks(folderIDPrefix: reference.prefix, limit: .max)
        }
        guard reference.number == nil else { return [] }
        throw QueueError(
            .badFilter, "no task of this store has a UUID such as \(reference)",
            fix: "name tasks by their numbers: id:12, id:12,15 or id:10..20")
    }
}
