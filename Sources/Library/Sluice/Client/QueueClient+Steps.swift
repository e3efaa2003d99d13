import SluicePlatform

extension QueueClient {
    /// Executes the next task of a paused queue, or so many, by a worker that has been started, one
    /// after the other; returns when they have ended (D3). Nothing eligible is not an error: the
    /// answer then says what is in the way.
    ///
    /// Throws `notLegal` while the queue starts work by itself, `noHandler` where no worker handles
    /// the task.
    @discardableResult
    public func step(_ queue: String, count: Int = 1) async throws -> StepAnswer {
        try await step(.queue(queue, count: count))
    }

    /// Executes this task of a paused queue, whatever comes before it.
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

    /// Takes the newest step back, of a queue or of any: its task waits again as it did, and its
    /// follow-ups go to the trash (G5). `Answer.restored` says of which execution the effect stays,
    /// `Answer.consequences` and `failed` what others did since, which stays too. `undo` takes it
    /// back.
    ///
    /// Throws `notLegal` where no step is kept, or the queue runs something; `changed` where the
    /// task was executed again, deleted or moved since.
    @discardableResult
    public func stepBack(_ queue: String? = nil) async throws -> Answer {
        try await control.perform(.stepBack(queue: queue))
    }
}
