import QueueModel
import QueueStore

/// A task that has just come and carries nothing rare: most columns are the same in every such row.
///
/// It is looked at where it lies, since a copy of a task costs as much as its row.
extension TaskRow {
    /// Whether `TaskColumns.insertPlain` holds all of it.
    static func isPlain(_ new: UnsafePointer<NewTask>) -> Bool {
        guard new.pointee.payload.count <= inlinePayloadBytes, !new.pointee.task.isHeld,
            new.pointee.task.version == 1, new.pointee.task.attempts == 0,
            new.pointee.task.executions == 0, new.pointee.task.groupStart == nil,
            new.pointee.task.groupMembers.isEmpty, new.pointee.task.uniqueKey == nil,
            new.pointee.task.session == nil, new.pointee.task.clientString == nil,
            new.pointee.task.parent == nil, new.pointee.task.label == nil,
            new.pointee.task.sortKey == nil, new.pointee.task.collector == nil
        else { return false }
        return new.pointee.task.requires.isEmpty && !new.pointee.task.isRequired
            && new.pointee.task.depth == 0 && new.pointee.task.lastError == nil
            && new.pointee.task.losses == 0 && new.pointee.task.lossesInSuccession == 0
            && new.pointee.task.offlineInSuccession == 0 && isFresh(new.pointee.task.state)
    }

    private static func isFresh(_ state: TaskState) -> Bool {
        guard case .waiting(let waiting) = state else { return false }
        return waiting.timer == nil && waiting.skip == nil && waiting.parking == nil
            && !waiting.attemptedInRun && waiting.lingering == nil
    }

    /// Whether two such tasks differ in nothing but what `bindOwn` binds.
    static func areAlike(_ one: UnsafePointer<NewTask>, _ other: UnsafePointer<NewTask>) -> Bool {
        one.pointee.task.type == other.pointee.task.type
            && one.pointee.task.queue == other.pointee.task.queue
            && one.pointee.task.priority == other.pointee.task.priority
            && one.pointee.task.createdAt == other.pointee.task.createdAt
            && one.pointee.task.updatedAt == other.pointee.task.updatedAt
            && one.pointee.task.freshAt == other.pointee.task.freshAt
            && one.pointee.task.expiresAt == other.pointee.task.expiresAt
            && one.pointee.task.attemptLimit == other.pointee.task.attemptLimit
    }

    /// Binds what alike tasks have in common.
    static func bindAlike(
        _ task: QueueTask, in queue: ReadSession.QueueEntry, to statement: any BoundStatement
    ) {
        let settings = queue.record.settings
        statement.bind(queue.id)
        statement.bind(Shelf.number(of: .ready, isMainType: task.type == queue.types.main))
        statement.bind(task.type)
        statement.bind(task.priority)
        statement.bind(task.attemptLimit)
        statement.bind(task.createdAt)
        statement.bind(task.updatedAt)
        statement.bind(freshAt(task, settings: settings))
        statement.bind(task.expiresAt)
        statement.bind(expiringAt(task, settings: settings))
    }

    /// Binds what each task has of its own.
    static func bindOwn(
        _ new: UnsafePointer<NewTask>, order: QueueOrder, to statement: any BoundStatement
    ) {
        statement.bind(new.pointee.task.id)
        statement.bind(
            OrderKey(
                position: new.pointee.task.position, priority: new.pointee.task.priority,
                sortKey: new.pointee.task.sortKey, order: order
            ).bytes)
        statement.bind(new.pointee.task.position)
        statement.bind(new.pointee.payload)
    }
}
