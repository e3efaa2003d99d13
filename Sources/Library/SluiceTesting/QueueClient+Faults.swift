public import Sluice

extension QueueClient {
    /// Lets the next attempts of a type go wrong (G2), in one queue or in all; without `times` the
    /// next one. `.fail("HTTP 503")` does not call the handler, `.twice` calls it twice under one
    /// idempotency key, `.timeOut`, `.offline` and `.giveUp` end an attempt so.
    ///
    /// Faults of one type come one after the other, in the order in which they were set. Throws
    /// `badValue` for a crash, which would kill the test.
    public func inject<Payload: TaskPayload>(
        _ fault: Fault.Kind, into type: Payload.Type, in queue: String? = nil, times: Int = 1
    ) async throws {
        guard !fault.isCrash else {
            throw QueueError(
                .badValue, "\(fault.word) would kill the test",
                fix: "a worker that is a process of its own takes it: sluice work --allow-crash")
        }
        let place = queue.map { " queue:\(Self.quoted($0))" } ?? ""
        var request = FaultRequest(
            try TaskFilter("type:\(Self.quoted(Payload.taskType))\(place)"), fault)
        request.times = times
        request.forMilliseconds = nil
        try await control.perform(.setFault(request))
    }

    /// A name as one value of a filter, whatever stands in it.
    private static func quoted(_ name: String) -> String {
        "\"" + name.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }
}
