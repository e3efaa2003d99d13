import SluiceModel
import SluiceStore

/// A task that has just come and carries nothing rare.
struct BufferedTask: BufferedRow {
    let new: NewTask
    let queue: TableReader.QueueEntry

    static let statements = TaskColumns.insertsPlain

    func isAlike(_ other: BufferedTask) -> Bool {
        var twin = new.task
        return TaskRow.isAlike(&twin, other.new.task)
    }

    func bindShared(to statement: any BoundStatement) {
        TaskRow.bindAlike(new.task, in: queue, to: statement)
    }

    func bindOwn(to statement: any BoundStatement) {
        TaskRow.bindOwn(new, order: queue.record.sharedSettings.value.order, to: statement)
    }
}

/// A task that only got a lease: each of its counters grew by one.
struct BufferedLease: BufferedRow {
    private let task: QueueTask
    private let running: Running
    private let queue: TableReader.QueueEntry

    /// Nil where more has changed.
    init?(_ task: QueueTask, from old: QueueTask, in queue: TableReader.QueueEntry) {
        guard let running = task.running, old.waiting != nil, task.version == old.version &+ 1,
            task.executions == old.executions &+ 1, running.attempt == task.executions,
            TaskRow.differInLease(old, task, settings: queue.record.sharedSettings)
        else { return nil }
        (self.task, self.running, self.queue) = (task, running, queue)
    }

    static let statements = [16, 4, 1].map { (rows: $0, query: TaskColumns.lease(rows: $0)) }

    func isAlike(_ other: BufferedLease) -> Bool {
        running.owner == other.running.owner && running.since == other.running.since
            && task.updatedAt == other.task.updatedAt && queue === other.queue
            && task.type == other.task.type
    }

    func bindShared(to statement: any BoundStatement) {
        statement.bind(task.state.name.code)
        statement.bind(IndexBucket.number(of: task, in: queue))
        statement.bind(task.updatedAt)
        statement.bind(running.since)
        statement.bind(running.owner)
    }

    func bindOwn(to statement: any BoundStatement) {
        statement.bind(task.id)
        statement.bind(running.token)
        statement.bind(task.orderKey(queue.record.sharedSettings.value.order).bytes)
    }
}

/// A task that goes.
struct BufferedRemoval: BufferedRow {
    let id: TaskID

    static let statements = [64, 16, 4, 1].map { (rows: $0, query: TaskColumns.delete(rows: $0)) }

    func isAlike(_ other: BufferedRemoval) -> Bool { true }
    func bindShared(to statement: any BoundStatement) {}
    func bindOwn(to statement: any BoundStatement) { statement.bind(id) }
}

/// An attempt that has only an end.
struct BufferedAttempt: BufferedRow {
    private let attempt: AttemptRecord

    /// Nil where there is more.
    init?(_ attempt: AttemptRecord) {
        guard attempt.outcome != nil, attempt.endSequence > 0, attempt.error == nil,
            attempt.fraction == nil, attempt.progressText == nil, attempt.log.isEmpty,
            attempt.childPID == nil, attempt.childStartTime == nil, attempt.consequence == nil,
            attempt.injection == nil
        else { return nil }
        self.attempt = attempt
    }

    static let statements = [64, 16, 4, 1].map { (rows: $0, query: AttemptRow.put(rows: $0)) }

    func isAlike(_ other: BufferedAttempt) -> Bool {
        attempt.queue == other.attempt.queue && attempt.type == other.attempt.type
            && attempt.runner == other.attempt.runner
            && attempt.endedAt == other.attempt.endedAt
            && attempt.outcome == other.attempt.outcome
            && attempt.isCounted == other.attempt.isCounted
    }

    func bindShared(to statement: any BoundStatement) {
        statement.bind(attempt.queue)
        statement.bind(attempt.type)
        statement.bind(attempt.runner)
        statement.bind(attempt.endedAt)
        statement.bind(attempt.outcome?.rawValue)
        statement.bind(attempt.isCounted)
    }

    func bindOwn(to statement: any BoundStatement) {
        statement.bind(attempt.task)
        statement.bind(attempt.number)
        statement.bind(attempt.startedAt)
        statement.bind(attempt.endSequence)
    }
}
