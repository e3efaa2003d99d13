package import SluiceModel

extension StoreTime {
    /// The clock in words: `stands at 14:03:22 UTC (-5m)`.
    package func words(at real: Timestamp) -> String {
        let shown = "\(Self.text(time(at: real), at: real)) (\(Self.signed(offset(at: real))))"
        return switch self {
        case .real: "shows the real time"
        case .offset: "shows \(shown)"
        case .frozen: "is frozen at \(shown)"
        case .rate(let rate, _, _): "shows \(shown) and goes at rate \(Self.text(rate: rate))"
        }
    }

    /// The text of a difference: `-5m`, `+7d`.
    package static func signed(_ milliseconds: Int64) -> String {
        let size = Int64(clamping: milliseconds.magnitude)
        return (milliseconds < 0 ? "-" : "+") + (size == 0 ? "0s" : DurationText.short(size))
    }

    /// A rate without a fraction if it has none.
    package static func text(rate: Double) -> String {
        rate == rate.rounded() ? "\(Int(rate))" : "\(rate)"
    }

    /// A time in UTC, with its day if that is another one.
    private static func text(_ time: Timestamp, at real: Timestamp) -> String {
        let (text, today) = (TimeText.rfc3339(time), TimeText.rfc3339(real))
        let (day, clock) = (text.prefix(10), text.dropFirst(11).prefix(8))
        return day == today.prefix(10) ? "\(clock) UTC" : "\(day) \(clock) UTC"
    }
}
