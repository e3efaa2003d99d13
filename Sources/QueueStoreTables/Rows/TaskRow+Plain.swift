import QueueModel
import QueueStore

/// A task that has just come and carries nothing rare: most columns are the same in every such row.
extension TaskRow {
    /// Whether `TaskColumns.plain` holds all of it.
    static func isPlain(_ new: NewTask) -> Bool {
        let task = new.task
        guard new.payload.count <= inlinePayloadBytes, isFresh(task.state), !task.isHeld,
            task.version == 1, task.attempts == 0, task.executions == 0, !task.hasGroupRole,
            task.uniqueKey == nil, task.session == nil, task.clientString == nil,
            task.parent == nil, task.label == nil, task.sortKey == nil, task.collector == nil
        else { return false }
        return task.requires.isEmpty && !task.isRequired && task.depth == 0
            && task.lastError == nil && task.losses == 0 && task.lossesInSuccession == 0
            && task.offlineInSuccession == 0
    }

    private static func isFresh(_ state: TaskState) -> Bool {
        guard case .waiting(let waiting) = state else { return false }
        return waiting.timer == nil && waiting.skip == nil && waiting.parking == nil
            && !waiting.attemptedInRun && waiting.lingering == nil
    }

    static func bindPlain(
        _ new: NewTask, in queue: ReadSession.QueueEntry, to statement: any BoundStatement
    ) {
        let (task, settings) = (new.task, queue.record.settings)
        statement.bind(task.id)
        statement.bind(queue.id)
        statement.bind(Shelf.number(of: .ready, isMainType: task.type == queue.types.main))
        statement.bind(OrderKey(task, order: settings.order).bytes)
        statement.bind(task.position)
        statement.bind(task.type)
        statement.bind(task.priority)
        statement.bind(task.attemptLimit)
        statement.bind(task.createdAt)
        statement.bind(task.updatedAt)
        statement.bind(freshAt(task, settings: settings))
        statement.bind(task.expiresAt)
        statement.bind(expiringAt(task, settings: settings))
        statement.bind(new.payload)
    }
}
