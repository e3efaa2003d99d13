extension QueueClient {
    /// The clock by which tasks wait in the store, and what comes next by it, in one queue or in
    /// all (G3).
    public func clock(queue: String? = nil) async throws -> ClockFacts {
        let now = control.now()
        return try await store.read { try Reading($0, now: now).clock(queue: queue) }
    }

    /// Sets the clock, for every worker of the store on every machine, and gives what it shows then
    /// (G3). A test freezes it, and goes with `.next(queue: nil)` from one retry to the next: a
    /// week of them takes milliseconds. While it stands `drain` returns where all that is left
    /// waits for a time.
    ///
    /// Throws `badValue` for what no clock of the store can show, `notLegal` where nothing waits
    /// for a time that `.next` could go to.
    @discardableResult
    public func setClock(_ change: ClockRequest.Change) async throws -> ClockFacts {
        let answer = try await control.perform(.setClock(ClockRequest(change)))
        if let facts = answer.clock { return facts }
        return try await clock()
    }
}
