extension QueueClient {
    /// The store's clock, which waiting tasks use, and its next moment in one queue or in all (G3).
    public func clock(queue: String? = nil) async throws -> ClockFacts {
        let now = control.now()
        return try await store.read { try Reading($0, now: now).clock(queue: queue) }
    }

    /// Sets the clock for every worker of the store on every machine, and returns its new state
    /// (G3). A test freezes it and moves it with `.next(queue: nil)` from one retry to the next: a
    /// week of retries takes milliseconds. While the clock is frozen, `drain` returns when all
    /// remaining tasks wait for a time.
    ///
    /// Throws `badValue` for a time that the clock cannot show. Throws `notLegal` if no task waits
    /// for a time that `.next` could move to.
    @discardableResult
    public func setClock(_ change: ClockRequest.Change) async throws -> ClockFacts {
        let answer = try await control.perform(.setClock(ClockRequest(change)))
        if let facts = answer.clock { return facts }
        return try await clock()
    }
}
