import SluiceSystem

/// Measured times, in milliseconds.
package struct Spread: CustomStringConvertible, Sendable {
    /// The times, in order of measurement.
    package private(set) var milliseconds: [Double] = []

    /// No times yet.
    package init() {}

    /// Takes in a time.
    package mutating func add(nanoseconds: UInt64) {
        milliseconds.append(Double(nanoseconds) / 1e6)
    }

    package mutating func add(milliseconds time: Double) { milliseconds.append(time) }

    /// Takes in how long `body` takes.
    package mutating func measure<Value>(_ body: () throws -> Value) rethrows -> Value {
        let begin = SystemClock.monotonicNanoseconds()
        defer { add(nanoseconds: SystemClock.monotonicNanoseconds().since(begin)) }
        return try body()
    }

    package var count: Int { milliseconds.count }

    /// The longest time, or 0 without any.
    package var worst: Double { milliseconds.max() ?? 0 }

    package func percentile(_ percent: Int) -> Double {
        let sorted = milliseconds.sorted()
        guard !sorted.isEmpty else { return 0 }
        return sorted[min(sorted.count - 1, sorted.count * percent / 100)]
    }

    /// The median, the 95th of a hundred, the longest, and how many.
    package var description: String {
        "p50 \(Self.text(percentile(50))) ms, p95 \(Self.text(percentile(95))) ms, "
            + "worst \(Self.text(worst)) ms, n = \(count)"
    }

    private static func text(_ value: Double) -> String {
        "\((value * 100).rounded() / 100)"
    }
}

extension UInt64 {
    /// The time since a moment, or 0 if the moment is later.
    package func since(_ moment: UInt64) -> UInt64 { self > moment ? self - moment : 0 }
}
