package import SluiceModel

extension StoreWriter {
    /// Runs `body` on a mutation of this write, then writes the consequences: changed queues, and
    /// claims of ready tasks for offered slots (A1). An error of `body` is rethrown and skips this.
    /// `real` is real time; the store's clock gives the time of the mutation (G3). If a checkpoint
    /// exists, first images are kept (G5).
    @discardableResult
    package func transact<Value>(
        at real: Timestamp, membersAtOnce: Int = Mutation.membersAtOnce, bounds: DueBounds = .claim,
        _ body: (Mutation) throws -> Value
    ) throws -> Value {
        begin(at: real)
        let keeper = try ImageKeeper(over: self, now: real)
        let mutation = try Mutation(
            keeper ?? self, at: real, membersAtOnce: membersAtOnce, bounds: bounds)
        try tape()?.mark(real)
        let value = try body(mutation)
        try mutation.finish()
        try keeper?.finish()
        return value
    }
}

extension QueueStore {
    /// Runs `body` on a mutation in its own commit, whole or not at all. Name the queue if tasks
    /// are added to only one: a server then returns it in the first round trip.
    @discardableResult
    package func transact<Value: Sendable>(
        at now: Timestamp,
        _ body: @escaping @Sendable (Mutation) throws -> Value
    ) async throws -> Value {
        try await write { try $0.transact(at: now, body) }
    }

    /// `transact` for a caller that may block its thread.
    @discardableResult
    package func transactBlocking<Value: Sendable>(
        at now: Timestamp, expecting expected: ExpectedReads = ExpectedReads(),
        _ body: @escaping @Sendable (Mutation) throws -> Value
    ) throws -> Value {
        try writeBlocking(expecting: expected) { try $0.transact(at: now, body) }
    }
}
