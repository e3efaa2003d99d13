/// What a typed handler may do beside its work.
public struct TaskContext: Sendable {
    /// The execution: the task, its number, the idempotency key (A8).
    public let execution: Execution
    let report: any ExecutionReport

    /// Reports progress (A7).
    public func progress(_ fraction: Double?, _ text: String? = nil) {
        report.progress(fraction, text: text)
    }

    /// Adds a line to the attempt's log (A7).
    public func log(_ line: String) { report.log(line) }

    /// Enqueues another task in the commit of this one's success; nothing of it happens when this
    /// execution fails (A3). Throws what cannot be encoded or named.
    public func enqueue<Payload: TaskPayload>(
        _ payload: Payload, to queue: String? = nil, afterMilliseconds: Int64 = 0,
        priority: Int64 = 0, uniqueKey: String? = nil
    ) throws {
        let name = queue ?? execution.task.queue
        try Names.check(name, of: "queue name")
        try Names.check(Payload.taskType, of: "type")
        if afterMilliseconds <= 0, execution.task.depth >= execution.maximumDepth {
            throw QueueError(
                .tooDeep, "a chain of follow-ups \(execution.task.depth) deep",
                fix: "a task keeps enqueueing itself; a delayed one may")
        }
        report.followUp(
            FollowUp(
                queue: name, type: Payload.taskType,
                payload: try PayloadCoding.encode(payload),
                delayMilliseconds: afterMilliseconds, priority: priority, uniqueKey: uniqueKey))
    }
}
