import SluicePlatform

extension QueueClient {
    /// Opens a run of a queue, or joins the one that is open, and returns when it has ended: with
    /// what was executed meanwhile, and what it leaves (D4). Where a pause that came since stops
    /// it, `run.isOpen` is true. It is executed by attached runners, such as a worker of `start`,
    /// and waits for one where there is none.
    @discardableResult
    public func run(_ queue: String, limit: RunLimit? = nil) async throws -> StepAnswer {
        try await end(of: try await control.openRun(queue, limit: limit))
    }

    /// The end of a run that was opened or joined; at once where it has been.
    package func end(of run: FollowedRun) async throws -> StepAnswer {
        let (notices, feed) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        feed.yield()
        let store = store
        let observation = try await offPool { try store.observe { feed.yield() } }
        defer { withExtendedLifetime(observation) {} }
        for await _ in notices {
            let now = control.now()
            let outcome = try await store.read { try run.outcome(in: Reading($0, now: now)) }
            if let outcome { return outcome }
        }
        throw CancellationError()
    }
}
