import SluiceModel
import SluiceStore

/// A task that has just come and carries nothing rare: most columns are the same in every such row.
extension TaskRow {
    /// Whether `TaskColumns.insertPlain` holds all of it.
    static func isPlain(_ new: NewTask) -> Bool {
        let task = new.task
        guard new.payload.count <= inlinePayloadBytes, task.waiting != nil,
            task.waitFlags == .ready, task.version == 1, task.attempts == 0,
            task.executions == 0, task.groupStart == nil, task.groupMembers.isEmpty,
            task.uniqueKey == nil, task.session == nil,
            task.clientString == nil, task.parent == nil, task.label == nil,
            task.sortKey == nil, task.collector == nil, task.scheduled == nil
        else { return false }
        return task.requires.isEmpty && !task.isRequired && task.depth == 0
            && task.lastError == nil && task.losses == 0 && task.lossesInSuccession == 0
            && task.offlineInSuccession == 0
    }

    /// Whether two such tasks differ in nothing but what `bindOwn` binds.
    static func areAlike(_ one: QueueTask, _ other: QueueTask) -> Bool {
        one.type == other.type && one.queue == other.queue && one.priority == other.priority
            && one.createdAt == other.createdAt && one.updatedAt == other.updatedAt
            && one.freshAt == other.freshAt && one.expiresAt == other.expiresAt
            && one.attemptLimit == other.attemptLimit
    }

    /// Binds what alike tasks have in common.
    static func bindAlike(
        _ task: QueueTask, in queue: TableReader.QueueEntry, to statement: any BoundStatement
    ) {
        let settings = queue.record.settings
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

    /// Binds what each task has of its own.
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
