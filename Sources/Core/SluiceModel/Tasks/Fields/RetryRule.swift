/// How long a task waits after its n-th failure, n counted from 1 (Q7).
public enum RetryRule: Hashable, Sendable {
    case fixed(milliseconds: Int64)
    case linear(baseMilliseconds: Int64, stepMilliseconds: Int64)
    case exponential(
        baseMilliseconds: Int64, factor: Double, capMilliseconds: Int64, jitter: Double)
    case polynomial(baseMilliseconds: Int64, power: Double, capMilliseconds: Int64)

    /// The wait after failure number `failure` (1 or more); `chance` in 0..<1 draws the jitter, so
    /// that 0.5 is no jitter at all. Never negative.
    package func delayMilliseconds(afterFailure failure: Int, chance: Double) -> Int64 {
        let number = max(1, failure)
        switch self {
        case .fixed(let milliseconds):
            return max(0, milliseconds)
        case .linear(let base, let step):
            let (product, overflow) = step.multipliedReportingOverflow(by: Int64(number - 1))
            return overflow ? .max / 4 : max(0, base + min(product, .max / 4))
        case .exponential(let base, let factor, let cap, let jitter):
            let raw = Double(base) * Self.power(factor, Double(number - 1))
            let capped = min(raw, Double(cap))
            return Self.rounded(capped * (1 + jitter * (2 * chance - 1)))
        case .polynomial(let base, let power, let cap):
            return Self.rounded(min(Double(base) * Self.power(Double(number), power), Double(cap)))
        }
    }

    private static func rounded(_ value: Double) -> Int64 {
        guard value > 0 else { return 0 }
        return value >= 9e15 ? 9_000_000_000_000_000 : Int64(value.rounded())
    }

    /// `base` to the power of `exponent` for whole exponents, and for halves by repeated roots: the
    /// rules only know exponents with at most three binary digits after the point.
    private static func power(_ base: Double, _ exponent: Double) -> Double {
        var result = 1.0
        var whole = exponent.rounded(.down)
        var fraction = exponent - whole
        while whole > 0, result.isFinite {
            result *= base
            whole -= 1
        }
        var root = base
        for _ in 0..<20 where fraction > 0 {
            root = root.squareRoot()
            fraction *= 2
            if fraction >= 1 {
                result *= root
                fraction -= 1
            }
        }
        return result
    }
}

extension RetryRule: CustomStringConvertible {
    /// The spelling that commands take, such as `linear(20s,4s)`.
    public var description: String {
        switch self {
        case .fixed(let milliseconds): "fixed(\(DurationText.compact(milliseconds)))"
        case .linear(let base, let step):
            "linear(\(DurationText.compact(base)),\(DurationText.compact(step)))"
        case .exponential(let base, let factor, let cap, let jitter):
            "exponential(\(DurationText.compact(base)),\(Self.number(factor)),"
                + "\(DurationText.compact(cap)),\(Self.number(jitter)))"
        case .polynomial(let base, let power, let cap):
            "polynomial(\(DurationText.compact(base)),\(Self.number(power)),"
                + "\(DurationText.compact(cap)))"
        }
    }

    private static func number(_ value: Double) -> String {
        value == value.rounded() && abs(value) < 1e15 ? String(Int64(value)) : String(value)
    }

    /// Reads the spelling of `description`; nil for anything else.
    public init?(_ text: String) {
        guard let open = text.firstIndex(of: "("), text.last == ")" else { return nil }
        let name = text[..<open]
        let inside = text[text.index(after: open)..<text.index(before: text.endIndex)]
        let parts = inside.split(separator: ",", omittingEmptySubsequences: false).map {
            Spelling.trimmed($0)
        }
        func duration(_ index: Int) -> Int64? { DurationText.milliseconds(parts[index]) }
        func number(_ index: Int, _ range: ClosedRange<Double>) -> Double? {
            Double(parts[index]).flatMap { range.contains($0) ? $0 : nil }
        }
        switch (name, parts.count) {
        case ("fixed", 1):
            guard let wait = duration(0) else { return nil }
            self = .fixed(milliseconds: wait)
        case ("linear", 2):
            guard let base = duration(0), let step = duration(1) else { return nil }
            self = .linear(baseMilliseconds: base, stepMilliseconds: step)
        case ("exponential", 3), ("exponential", 4):
            let jitter = parts.count == 4 ? number(3, 0...1) : 0
            guard let base = duration(0), let factor = number(1, 1...1000),
                let cap = duration(2), let jitter
            else { return nil }
            self = .exponential(
                baseMilliseconds: base, factor: factor, capMilliseconds: cap, jitter: jitter)
        case ("polynomial", 3):
            guard let base = duration(0), let power = number(1, 0...20), let cap = duration(2)
            else { return nil }
            self = .polynomial(baseMilliseconds: base, power: power, capMilliseconds: cap)
        default: return nil
        }
    }
}
