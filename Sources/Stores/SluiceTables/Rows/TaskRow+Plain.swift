import SluiceModel
import SluiceStore

/// A task that has just come and carries nothing rare: most columns are the same in every such row.
extension TaskRow {
    /// Whether `TaskColumns.insertPlain` holds all of a task: it has what `bindAlike` and `bindOwn`
    /// bind, and all else as it is in a new one.
    static func isPlain(_ task: QueueTask) -> Bool {
        var plain = QueueTask(
            id: task.id, queue: task.queue, type: task.type, position: task.position,
            createdAt: task.createdAt)
        (plain.priority, plain.attemptLimit) = (task.priority, task.attemptLimit)
        (plain.updatedAt, plain.freshAt) = (task.updatedAt, task.freshAt)
        plain.expiresAt = task.expiresAt
        return plain == task
    }

    /// Whether another such task differs in nothing but what `bindOwn` binds, which `twin` takes
    /// over: one copy is compared with many.
    static func isAlike(_ twin: inout QueueTask, _ other: QueueTask) -> Bool {
        (twin.id, twin.position) = (other.id, other.position)
        return twin == other
    }

    /// Binds what alike tasks have in common.
    static func bindAlike(
        _ task: QueueTask, in queue: TableReader.QueueEntry, to statement: any BoundStatement
    ) {
        let settings = queue.record.sharedSettings
        statement.bind(queue.id)
        statement.bind(IndexBucket.number(of: .ready, isMainType: task.type == queue.types.main))
        statement.bind(task.type)
        statement.bind(task.priority)
        statement.bind(task.attemptLimit)
        statement.bind(task.createdAt)
        statement.bind(task.updatedAt)
        statement.bind(freshAt(task, settings: settings))
        statement.bind(task.expiresAt)
        statement.bind(expiringAt(task, settings: settings))
    }

    /// Binds the individual values of a task.
    static func bindOwn(
        _ new: NewTask, order: QueueOrder, to statement: any BoundStatement
    ) {
        statement.bind(new.task.id)
        statement.bind(
            OrderKey(
                position: new.task.position, priority: new.task.priority,
                sortKey: new.task.sortKey, order: order
            ).bytes)
        statement.bind(new.task.position)
        statement.bind(new.payload)
    }
}
