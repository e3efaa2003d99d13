/// A family of figures that have one name, with a value for each set of labels.
package struct MetricFamily: Hashable, Sendable {
    /// The type of the values.
    package enum Kind: String, Hashable, Sendable {
        /// Numbers that only grow while their process lives.
        case counter
        /// Numbers as they are now.
        case gauge
        /// Counts by size of the measured value, which only grow.
        case histogram
        /// Counts by size of present values.
        case gaugeHistogram = "gaugehistogram"
    }
    /// Its name, without the suffixes that a format adds.
    package var name: String
    /// The type of the values.
    package var kind: Kind
    /// The unit, which its name then ends with.
    package var unit: String?
    /// A sentence that describes it.
    package var help: String
    package var series: [MetricSeries]

    package init(
        _ name: String, _ kind: Kind, unit: String? = nil, help: String, _ series: [MetricSeries]
    ) {
        (self.name, self.kind, self.unit) = (name, kind, unit)
        (self.help, self.series) = (help, series)
    }
}

/// A value of a family with its labels.
package struct MetricSeries: Hashable, Sendable {
    /// A name and its value: `queue`, `mail`.
    package struct Label: Hashable, Sendable {
        package var name: String
        /// Its value, any text.
        package var value: String

        package init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
    }
    package var labels: [Label]
    package var value: MetricValue

    package init(_ labels: KeyValuePairs<String, String>, _ value: MetricValue) {
        self.labels = labels.map { Label($0.key, $0.value) }
        self.value = value
    }
}

package enum MetricValue: Hashable, Sendable {
    case number(Int)
    case histogram(MetricHistogram)
}

/// How many durations there were up to each of some bounds, and their sum.
public struct MetricHistogram: Hashable, Sendable {
    /// The upper bounds in milliseconds, the least first; above the last one there is no bound.
    public static let bounds: [Int64] = [
        1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000, 300_000,
        900_000, 3_600_000, 86_400_000,
    ]
    /// How many are not above each bound and above the one before it; last those above all.
    public private(set) var counts = Array(repeating: 0, count: bounds.count + 1)
    /// The sum of all, in milliseconds.
    public private(set) var sumMilliseconds: Int64 = 0

    /// Creates an empty histogram.
    package init() {}

    /// The number of measurements.
    public var count: Int { counts.reduce(0, +) }

    /// Adds measurements of one duration.
    package mutating func add(milliseconds: Int64, times: Int = 1) {
        let place = Self.bounds.firstIndex { milliseconds <= $0 } ?? Self.bounds.count
        counts[place] += times
        let (all, overflow) = milliseconds.multipliedReportingOverflow(by: Int64(times))
        sumMilliseconds = sumMilliseconds.addingReportingOverflow(overflow ? 0 : all).partialValue
    }

    /// How many are not above each bound, those above all last.
    public var cumulative: [Int] {
        var sum = 0
        return counts.map { count in
            sum += count
            return sum
        }
    }
}
