import Platform

/// Times that were measured, in milliseconds.
struct Spread: CustomStringConvertible {
    private(set) var milliseconds: [Double] = []

    mutating func add(nanoseconds: UInt64) { milliseconds.append(Double(nanoseconds) / 1e6) }

    /// The longest one; 0 where there is none.
    var worst: Double { milliseconds.max() ?? 0 }

    /// The time that so many of a hundred do not exceed.
    func percentile(_ percent: Int) -> Double {
        let sorted = milliseconds.sorted()
        guard !sorted.isEmpty else { return 0 }
        return sorted[min(sorted.count - 1, sorted.count * percent / 100)]
    }

    var description: String {
        "p50 \(Self.text(percentile(50))) ms, p95 \(Self.text(percentile(95))) ms, "
            + "worst \(Self.text(worst)) ms, n = \(milliseconds.count)"
    }

    private static func text(_ value: Double) -> String {
        "\((value * 100).rounded() / 100)"
    }
}

extension UInt64 {
    /// How long it is from a moment to this one; 0 where it lies before.
    func since(_ moment: UInt64) -> UInt64 { self > moment ? self - moment : 0 }
}
