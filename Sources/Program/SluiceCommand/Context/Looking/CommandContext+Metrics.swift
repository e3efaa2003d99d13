import SluiceControl
import SluiceMetrics
import SluiceModel
import SluicePlatform
import SluiceStore

/// `metrics`, and what `work --metrics` serves.
extension CommandContext {
    func metrics() throws -> Reply {
        let families = try read { reading in
            try reading.store.metricFamilies(at: reading.real, gone: reading.goneProcesses())
        }
        let lines = OpenMetrics.text(families).split(separator: "\n").map(String.init)
        return Reply(["families": .array(families.map(\.json))], lines)
    }

    /// Serves the metrics of the store and of a worker; `nil` if not requested.
    func serveMetrics(
        at address: HostPort?, of meter: TaskMeter, in opened: Protected<(any QueueStore)?>
    ) throws -> MetricsServer? {
        guard let address else { return nil }
        let now = host.now
        let server = try MetricsServer(at: address) {
            guard let store = opened.withLock({ $0 }) else {
                throw QueueError(.noStore, "the worker has not opened its store yet")
            }
            return try store.metricFamilies(at: now()) + meter.metrics.families
        }
        announce(server)
        return server
    }

    /// Serves the store's metrics without a worker, until SIGINT or SIGTERM.
    func exportMetrics(at address: HostPort) throws {
        try refuseWaitingOnTape(fix: "metrics without --listen has the figures of a tape")
        SignalInbox.ignorePipeSignal()
        let (store, now) = (try store(), host.now)
        let end = try EventSignal()
        let signals = try SignalWatch { _ in
            end.signal()
            return false
        }
        defer { signals.end() }
        let server = try MetricsServer(at: address) { try store.metricFamilies(at: now()) }
        defer { server.stop() }
        announce(server)
        _ = try Poll.wait(fds: [PollInterest(end.descriptor.number)], timeoutMilliseconds: nil)
    }

    private func announce(_ server: MetricsServer) {
        guard !common.isJSON, !common.isQuiet else { return }
        try? host.write("metrics: http://\(server.address)/metrics\n", .errors)
    }
}

extension MetricFamily {
    /// A family as `metrics --json` has it.
    fileprivate var json: JSONValue {
        [
            "name": .string(name), "kind": .string(kind.rawValue),
            "unit": unit.map { .string($0) } ?? .null, "help": .string(help),
            "series": .array(
                series.map { series in
                    var labels: JSONObject = [:]
                    for label in series.labels { labels[label.name] = .string(label.value) }
                    return ["labels": .object(labels), "value": series.value.json]
                }),
        ]
    }
}

extension MetricValue {
    fileprivate var json: JSONValue {
        switch self {
        case .number(let number): return JSONValue(number)
        case .histogram(let histogram):
            let bounds = MetricHistogram.bounds.map { JSONValue.integer($0) } + [.null]
            let buckets = zip(bounds, histogram.cumulative).map { bound, count in
                ["le": bound, "count": JSONValue(count)] as JSONValue
            }
            return [
                "count": JSONValue(histogram.count),
                "sumMilliseconds": .integer(histogram.sumMilliseconds),
                "buckets": .array(buckets),
            ]
        }
    }
}
