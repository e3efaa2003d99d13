public import ServiceLifecycle
public import Sluice

/// A worker as a service of a `ServiceGroup`, which owns the signals of the program.
///
/// A graceful shutdown stops new work, and running tasks have `grace` to end. A cancellation stops
/// them immediately.
public struct QueueService: Service {
    private let app: QueueClient
    private let queues: [String]?
    private let slots: Int
    private let grace: Duration
    private let onEvent: @Sendable (RunnerEvent) -> Void

    /// A service that works on every queue, or on the named ones, with `slots` concurrent tasks.
    public init(
        _ app: QueueClient, queues: [String]? = nil, slots: Int = 8,
        grace: Duration = .seconds(10),
        onEvent: @escaping @Sendable (RunnerEvent) -> Void = QueueClient.logFailures
    ) {
        (self.app, self.queues, self.slots) = (app, queues, slots)
        (self.grace, self.onEvent) = (grace, onEvent)
    }

    /// Works until the group shuts down. Throws the errors of `QueueClient.start` and `Worker.end`.
    public func run() async throws {
        let worker = try app.start(queues: queues, slots: slots, grace: grace, onEvent: onEvent)
        try await withGracefulShutdownHandler {
            try await worker.end()
        } onGracefulShutdown: {
            Task { try await worker.stop() }
        }
    }
}
