import SluicePlatform

extension QueueClient {
    /// Opens a run of a queue, or joins the open one, and returns after its end with the executions
    /// and the remaining tasks (D4). If a new pause stops it, `run.isOpen` is true. Attached
    /// runners execute it, such as a worker from `start`; without one it waits.
    @discardableResult
    public func run(_ queue: String, limit: RunLimit? = nil) async throws -> StepAnswer {
        try await end(of: try await control.openRun(queue, limit: limit))
    }

    /// Waits for the end of a run; returns immediately if it has ended.
    package func end(of run: FollowedRun) async throws -> StepAnswer {
        let control = control
        return try await firstValue { try run.outcome(in: Reading($0, now: control.now())) }
    }

    /// Reads after each change of the store, until a read gives a value.
    func firstValue<Value: Sendable>(
        _ read: @escaping @Sendable (any StoreReader) throws -> Value?
    ) async throws -> Value {
        let (notices, feed) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        feed.yield()
        let store = store
        let observation = try await offPool { try store.observe { feed.yield() } }
        defer { withExtendedLifetime(observation) {} }
        for await _ in notices {
            if let value = try await store.read(read) { return value }
        }
        throw CancellationError()
    }
}
