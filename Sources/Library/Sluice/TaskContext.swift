/// The actions available to a typed handler.
public struct TaskContext: Sendable {
    /// The execution: the task, its number, the idempotency key (A8).
    public let execution: Execution
    let report: any ExecutionReport
    let logLevel: TaskLogger.Level

    /// Lines with levels for the attempt's log; `QueueClient.logLevel` is the least that it writes.
    public var logger: TaskLogger { TaskLogger(report, level: logLevel) }

    /// The payload as a value, for a middleware; throws as it would for the handler.
    public func payload<Payload: TaskPayload>(_ type: Payload.Type) throws -> Payload {
        try PayloadCoding.decode(type, from: execution.payload)
    }

    /// Reports progress (A7).
    public func progress(_ fraction: Double?, _ text: String? = nil) {
        report.progress(fraction, text: text)
    }

    /// Begins a stage of the attempt, such as `encrypting`. It lasts until the next one, or until
    /// the end. Rows show it, `stage:encrypting` finds it, and the attempt keeps its time (A7).
    public func stage(_ name: String) { report.stage(name) }

    /// Adds a line to the attempt's log (A7).
    public func log(_ line: String) { report.log(line) }

    /// Enqueues another task in the commit of this execution's success; a failure discards it (A3).
    /// `configure` sets further properties. Parent and depth follow from this task, and a wait of
    /// `after` counts from its end.
    ///
    /// Throws for an invalid payload or name. Ignores the limit of a full queue and pauses of
    /// enqueues. A taken unique key keeps the existing task.
    public func enqueue<Payload: TaskPayload>(
        _ payload: Payload, to queue: String? = nil, after delay: Duration = .zero,
        _ configure: (inout EnqueueRequest) -> Void = { _ in }
    ) throws {
        var task = try EnqueueRequest(payload)
        configure(&task)
        let followUp = FollowUp(
            queue: queue ?? Payload.queue ?? execution.task.queue, task: task,
            delayMilliseconds: delay.milliseconds)
        try followUp.check(after: execution)
        report.followUp(followUp)
    }
}
