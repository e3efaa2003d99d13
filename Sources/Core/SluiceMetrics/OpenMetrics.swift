/// Families as the text of OpenMetrics 1.0, which Prometheus and others read.
package enum OpenMetrics {
    /// What a server says that the text is.
    package static let contentType = "application/openmetrics-text; version=1.0.0; charset=utf-8"

    /// The whole text, with its last line. A family without a value is left out.
    package static func text(_ families: [MetricFamily]) -> String {
        var lines: [String] = []
        for family in families where !family.series.isEmpty { write(family, into: &lines) }
        lines.append("# EOF")
        return lines.joined(separator: "\n") + "\n"
    }

    private static func write(_ family: MetricFamily, into lines: inout [String]) {
        lines.append("# TYPE \(family.name) \(family.kind.rawValue)")
        if let unit = family.unit { lines.append("# UNIT \(family.name) \(unit)") }
        lines.append("# HELP \(family.name) \(escaped(family.help))")
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
                let letter = family.kind == .gaugeHistogram ? "g" : ""
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

    /// A text as it stands between quotes, or behind the name of a family.
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
