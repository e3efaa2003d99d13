import SluicePlatform

extension QueueClient {
    /// Executes the next `count` tasks of a paused queue on a started worker, one after the other,
    /// and returns after their end (D3). If no task is eligible, the answer names the blockers.
    ///
    /// Throws `notLegal` while the queue starts work automatically, and `noHandler` if no worker
    /// handles the task.
    @discardableResult
    public func step(_ queue: String, count: Int = 1) async throws -> StepAnswer {
        try await step(.queue(queue, count: count))
    }

    /// Executes this task of a paused queue, ahead of its order.
    @discardableResult
    public func step(_ task: TaskID) async throws -> StepAnswer {
        try await step(.task(TaskTarget(task)))
    }

    private func step(_ request: StepRequest) async throws -> StepAnswer {
        let control = control
        return try await offPool {
            let issuer = try Attachment(to: control.store, role: .command, now: control.now())
            let answer = Result { try control.stepBlocking(request, issuer: issuer) }
            try issuer.detach(now: control.now())
            return try answer.get()
        }
    }

    /// Undoes the newest step of a queue, or of any. Its task waits again as before, and its
    /// follow-ups go to the trash (G5). `Answer.restored` names the execution whose effects remain.
    /// `Answer.consequences` and `failed` name later changes by others, which also remain. `undo`
    /// reverts it.
    ///
    /// Throws `notLegal` without a recorded step, or while the queue runs a task. Throws `changed`
    /// if the task was executed again, deleted or moved since.
    @discardableResult
    public func stepBack(_ queue: String? = nil) async throws -> Answer {
        try await control.perform(.stepBack(queue: queue))
    }
}
