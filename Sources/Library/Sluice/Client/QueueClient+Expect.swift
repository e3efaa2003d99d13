extension QueueClient {
    /// Checks an expectation (G7): now, within a time, or with `throughout` during all that time.
    /// `Expectation` describes the syntax; `since` limits the attempts that `ran()` counts. Wakes
    /// on commits without polling. A cancelled task receives the result so far.
    ///
    /// An answer that did not hold explains why, as a message for a test:
    /// `#expect(answer.held, "\(answer)")`. Throws `badValue` or `badFilter` for an invalid text,
    /// and `unknownQueue` for a queue that does not exist in time.
    public func expect(
        _ text: String, within time: Duration? = nil, throughout: Bool = false,
        since: Timestamp? = nil
    ) async throws -> ExpectAnswer {
        var request = ExpectRequest(try Expectation(text))
        request.withinMilliseconds = time.map { time in
            let (seconds, fraction) = time.components
            return seconds * 1000 + fraction / 1_000_000_000_000_000
        }
        guard !throughout || time != nil else {
            throw QueueError(
                .badValue, "throughout has no time", fix: "say within: how long it must hold")
        }
        request.isThroughout = throughout
        request.since = since
        return try await control.expect(request)
    }
}
