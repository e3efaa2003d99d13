package import SluiceModel

extension StoreWriter {
    /// Runs `body` on a mutation of this write, and then writes what follows from all that it did:
    /// the queues that changed, and what may start at once (A1). What `body` throws is thrown, and
    /// nothing follows. `real` is the moment in real time: what the clock of the store shows then
    /// is the time of the mutation (G3). Where a checkpoint stands, the first images of what
    /// changes are kept (G5).
    @discardableResult
    package func transact<Value>(
        at real: Timestamp, membersAtOnce: Int = Mutation.membersAtOnce, bounds: DueBounds = .claim,
        _ body: (Mutation) throws -> Value
    ) throws -> Value {
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
    /// Runs `body` on a mutation in a commit of its own, whole or not at all. Where it adds tasks
    /// to one queue, that queue is named, so that a server is asked for it with the first round
    /// trip.
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
