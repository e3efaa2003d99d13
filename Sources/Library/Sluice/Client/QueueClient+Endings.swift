import SluicePlatform

/// The ends of a type's tasks, apart from its handlers (A5).
struct TaskEndings: Sendable {
    var restart: (@Sendable (Execution) -> Bool)?
    var deletion: (@Sendable (Execution, HandlerOutcome) -> Void)?
}

extension QueueClient {
    /// Decides whether a task of a type without attempts left begins again at 0 attempts (A5). The
    /// last registration holds, for every handler of the type. A payload that cannot be decoded is
    /// given up.
    public func shouldRestart<Payload: TaskPayload>(
        _ type: Payload.Type, _ decide: @escaping @Sendable (Payload, Execution) -> Bool
    ) {
        endings.withLock { all in
            all[Payload.taskType, default: TaskEndings()].restart = { execution in
                guard let payload = try? PayloadCoding.decode(type, from: execution.payload) else {
                    return false
                }
                return decide(payload, execution)
            }
        }
    }

    /// Reports the last execution of a task of a type, after a success and after a give-up, before
    /// the settlement: again after a crash in between (A5). It may block. The last registration
    /// holds, for every handler of the type.
    public func beforeDelete<Payload: TaskPayload>(
        _ type: Payload.Type, _ tell: @escaping @Sendable (Payload, HandlerOutcome) -> Void
    ) {
        endings.withLock { all in
            all[Payload.taskType, default: TaskEndings()].deletion = { execution, outcome in
                guard let payload = try? PayloadCoding.decode(type, from: execution.payload) else {
                    return
                }
                tell(payload, outcome)
            }
        }
    }
}
