import SluiceMetrics
import SluicePlatform
import SluiceStore

extension QueueClient {
    /// The counts of this client's workers by queue and type, since its creation.
    public var metrics: TaskMetrics { meter.metrics }

    /// The metrics now and after each change. A slow reader receives only the newest. The sequence
    /// ends when the reading task ends.
    public var metricUpdates: AsyncStream<TaskMetrics> { meter.updates() }

    /// The metrics of the store and of this client's workers, as OpenMetrics text.
    public func metricsText() async throws -> String {
        let now = control.now()
        let signs = VitalSigns(of: store)
        let families = try await store.read { reader in
            try reader.metricFamilies(at: now, gone: reader.processes().filter(signs.isDead))
        }
        return OpenMetrics.text(families + meter.metrics.families)
    }

    /// Serves `metricsText` over HTTP at `HOST:PORT`, only for `GET /metrics`. It ends with `stop`
    /// or the last reference to the server. It has its own thread and delays no workers.
    ///
    /// Throws `badValue` if the address is invalid or in use.
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
