/// Families as the text of OpenMetrics 1.0, which Prometheus and others read.
package enum OpenMetrics {
    package static let contentType = "application/openmetrics-text; version=1.0.0; charset=utf-8"

    /// The complete text. Omits families without values.
    package static func text(
        _ families: [MetricFamily], format: MetricsFormat = .openMetrics
    ) -> String {
        var lines: [String] = []
        for family in families where !family.series.isEmpty {
            write(family, format, into: &lines)
        }
        if format == .openMetrics { lines.append("# EOF") }
        return lines.map { $0 + "\n" }.joined()
    }

    private static func write(
        _ family: MetricFamily, _ format: MetricsFormat, into lines: inout [String]
    ) {
        // Version 0.0.4 names a counter by its sample, and knows no histogram that may shrink.
        let isOpen = format == .openMetrics
        let name = family.name + (!isOpen && family.kind == .counter ? "_total" : "")
        let isShrinking = isOpen && family.kind == .gaugeHistogram
        let kind = isOpen || family.kind != .gaugeHistogram ? family.kind : .histogram
        let help = isOpen ? escaped(family.help) : escapedInLine(family.help)
        lines.append("# TYPE \(name) \(kind.rawValue)")
        if isOpen, let unit = family.unit { lines.append("# UNIT \(name) \(unit)") }
        lines.append("# HELP \(name) \(help)")
        for series in family.series {
            let labels = series.labels.map { "\($0.name)=\"\(escaped($0.value))\"" }
            func put(_ suffix: String, _ more: String? = nil, _ value: String) {
                let all = (labels + [more].compactMap { $0 }).joined(separator: ",")
                lines.append("\(family.name)\(suffix)\(all.isEmpty ? "" : "{\(all)}") \(value)")
            }
            switch series.value {
            case .number(let number): put(family.kind == .counter ? "_total" : "", nil, "\(number)")
            case .histogram(let histogram):
                let bounds = MetricHistogram.bounds.map { seconds($0) } + ["+Inf"]
                for (bound, count) in zip(bounds, histogram.cumulative) {
                    put("_bucket", "le=\"\(bound)\"", "\(count)")
                }
                let letter = isShrinking ? "g" : ""
                put("_\(letter)count", nil, "\(histogram.count)")
                put("_\(letter)sum", nil, seconds(histogram.sumMilliseconds))
            }
        }
    }

    /// Milliseconds as seconds, with a point: `0.25`, `60.0`.
    static func seconds(_ milliseconds: Int64) -> String {
        let (whole, rest) = milliseconds.quotientAndRemainder(dividingBy: 1000)
        let digits = String(1000 + rest).dropFirst()
        let fraction = digits.prefix { _ in true }.reversed().drop { $0 == "0" }.reversed()
        return "\(whole).\(fraction.isEmpty ? "0" : String(fraction))"
    }

    /// A help text of version 0.0.4, which keeps quotes as they are.
    private static func escapedInLine(_ text: String) -> String {
        String(
            text.flatMap { character -> String in
                switch character {
                case "\\": "\\\\"
                case "\n": "\\n"
                default: String(character)
                }
            })
    }

    /// A text between quotes, or in an OpenMetrics help line.
    static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": escaped += "\\\\"
            case "\"": escaped += "\\\""
            case "\n": escaped += "\\n"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
