import SluicePlatform

extension QueueClient {
    /// Works until the program is told to end, and returns then: a service. After the first TERM or
    /// INT it takes nothing more, and what runs has `grace` to come to its end; a second one tells
    /// what runs to stop at once (A6). Meanwhile these two signals are heard here alone; afterwards
    /// they have their former effect. The rest is as with `start`; throws what that and
    /// `Worker.end` throw.
    public func runService(
        queues: [String]? = nil, slots: Int = 8, grace: Duration = .seconds(10),
        network: (any NetworkSource)? = SystemNetwork(), allowsCrash: Bool = false,
        onEvent: @escaping @Sendable (RunnerEvent) -> Void = QueueClient.logFailures
    ) async throws {
        let worker = try start(
            queues: queues, slots: slots, grace: grace, network: network,
            allowsCrash: allowsCrash, onEvent: onEvent)
        let signals = try worker.stopOnSignals()
        defer { signals.end() }
        try await worker.end()
    }
}
