import SluiceMetrics
import SluicePlatform
import SluiceStore

extension QueueClient {
    /// What this client's workers did, counted by queue and type since it was made.
    public var metrics: TaskMetrics { meter.metrics }

    /// The same as a sequence: now and after each change, the newest for whoever reads slowly. It
    /// ends with the task that reads it.
    public var metricUpdates: AsyncStream<TaskMetrics> { meter.updates() }

    /// The store's metrics and those of this client's workers, as OpenMetrics text.
    public func metricsText() async throws -> String {
        let now = control.now()
        let signs = VitalSigns(of: store)
        let families = try await store.read { reader in
            try reader.metricFamilies(at: now, gone: reader.processes().filter(signs.isDead))
        }
        return OpenMetrics.text(families + meter.metrics.families)
    }

    /// Serves `metricsText` by HTTP at `HOST:PORT`, for `GET /metrics` alone, until the server is
    /// stopped or let go. It has a thread of its own and holds up no worker.
    ///
    /// Throws `badValue` where the address is none, or somebody else listens there.
    public func serveMetrics(at address: String) throws -> MetricsServer {
        guard let place = HostPort(address) else {
            throw QueueError(
                .badValue, "\"\(address)\" is no address to serve metrics at",
                fix: "HOST:PORT such as 127.0.0.1:9464")
        }
        let (store, meter, now) = (store, meter, control.now)
        return try MetricsServer(at: place) {
            let moment = now()
            return try store.metricFamilies(at: moment) + meter.metrics.families
        }
    }
}
