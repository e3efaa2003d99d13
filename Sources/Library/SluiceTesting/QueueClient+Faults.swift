public import Sluice

extension QueueClient {
    /// Makes the next attempts of a type fail (G2), in one queue or in all; by default only the
    /// next one. `.fail("HTTP 503")` skips the handler, and `.twice` calls it twice with one
    /// idempotency key. `.timeOut`, `.offline` and `.giveUp` end the attempt that way.
    ///
    /// Faults of one type apply in the order of their creation. Throws `badValue` for a crash,
    /// which would kill the test.
    public func inject<Payload: TaskPayload>(
        _ fault: Fault.Kind, into type: Payload.Type, in queue: String? = nil, times: Int = 1
    ) async throws {
        guard !fault.isCrash else {
            throw QueueError(
                .badValue, "\(fault.word) would kill the test",
                fix: "a worker in another process takes it: sluice work --allow-crash")
        }
        let place = queue.map { " queue:\(Self.quoted($0))" } ?? ""
        var request = FaultRequest(
            try TaskFilter("type:\(Self.quoted(Payload.taskType))\(place)"), fault)
        request.times = times
        request.forMilliseconds = nil
        try await control.perform(.setFault(request))
    }

    /// A name quoted as a single filter value.
    private static func quoted(_ name: String) -> String {
        "\"" + name.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }
}
