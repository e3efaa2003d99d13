package enum MetricsFormat: Hashable, Sendable {
    /// OpenMetrics 1.0.
    case openMetrics
    /// Version 0.0.4 of Prometheus's own text, for readers that know no OpenMetrics.
    case text

    /// The format that an `Accept` header prefers; OpenMetrics if it names no known format.
    init(accept: String) {
        var (open, plain): (Double, Double) = (0, 0)
        for range in accept.lowercased().split(separator: ",") {
            let parts = range.split(separator: ";").map { part in part.filter { $0 != " " } }
            let quality = parts.first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) }
            switch parts.first {
            case "application/openmetrics-text": open = max(open, quality ?? 1)
            case "text/plain": plain = max(plain, quality ?? 1)
            default: break
            }
        }
        self = plain > open ? .text : .openMetrics
    }

    /// The `Content-Type` of the text.
    package var contentType: String {
        switch self {
        case .openMetrics: OpenMetrics.contentType
        case .text: "text/plain; version=0.0.4; charset=utf-8"
        }
    }
}
