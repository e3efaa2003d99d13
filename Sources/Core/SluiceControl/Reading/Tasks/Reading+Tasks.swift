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

    /// Everything about one task.
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
    /// The task with its blockers.
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
