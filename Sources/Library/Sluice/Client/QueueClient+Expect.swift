extension QueueClient {
    /// Whether an expectation holds (G7): now, or within a time; with `throughout` all that time.
    /// What it is made of says `Expectation`; `since` counts the attempts of `ran()` from a moment
    /// on. Woken by commits, no polling; a cancelled task is told what is by then.
    ///
    /// The answer says what is and why where it did not hold, fit for the message of a test:
    /// `#expect(answer.held, "\(answer)")`. Throws `badValue` or `badFilter` for a text that is
    /// none, `unknownQueue` for a queue that is not there in time.
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
