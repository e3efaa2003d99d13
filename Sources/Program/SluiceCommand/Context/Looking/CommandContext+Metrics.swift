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

    /// Serves the store's metrics and those of a worker; nil where that was not asked for.
    func serveMetrics(
        at address: HostPort?, of meter: TaskMeter, in opened: Protected<(any QueueStore)?>
    ) throws -> MetricsServer? {
        guard let address else { return nil }
        let now = host.now
        let server = try MetricsServer(at: address) {
            guard let store = opened.withLock({ $0 }) else {
                throw QueueError(.noStore, "the worker has not opened its store yet")
            }
            let moment = now()
            let families = try store.readBlocking { try $0.metricFamilies(at: moment) }
            return OpenMetrics.text(families + meter.metrics.families)
        }
        if !common.isJSON, !common.isQuiet {
            try? host.write("metrics: http://\(server.address)/metrics\n", .errors)
        }
        return server
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
