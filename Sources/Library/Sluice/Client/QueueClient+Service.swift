import SluicePlatform

extension QueueClient {
    /// Works until the program receives a signal to end: a service. After the first TERM or INT it
    /// takes no more tasks, and running ones have `grace` to end. A second signal stops them
    /// immediately (A6). While it runs, only this call handles these two signals; afterwards their
    /// former effect returns. Otherwise it acts like `start`, and throws the errors of `start` and
    /// `Worker.end`.
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
