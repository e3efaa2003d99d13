/// A moment on the store's clock, in whole milliseconds since 1970-01-01T00:00:00Z.
///
/// The rules use only `Timestamp` for times. A single file of `Platform` reads the machine's clock.
public struct Timestamp: Hashable, Comparable, Sendable {
    /// Milliseconds since 1970-01-01T00:00:00Z; negative before it.
    public var milliseconds: Int64

    /// A moment that many milliseconds after 1970-01-01T00:00:00Z.
    public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// A placeholder for a moment that the source does not record.
    package static let unknown = Timestamp(milliseconds: 0)

    /// The moment; `nil` if the source does not record it.
    package var ifKnown: Timestamp? { self == .unknown ? nil : self }

    /// Whether the first moment is earlier.
    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.milliseconds < right.milliseconds
    }

    /// The moment `milliseconds` later; stays at the largest moment instead of overflowing.
    public static func + (moment: Timestamp, milliseconds: Int64) -> Timestamp {
        let (sum, overflow) = moment.milliseconds.addingReportingOverflow(milliseconds)
        guard overflow else { return Timestamp(milliseconds: sum) }
        return Timestamp(milliseconds: milliseconds > 0 ? .max : .min)
    }

    /// The milliseconds from `right` to `left`, held inside the range of 64 bits.
    public static func - (left: Timestamp, right: Timestamp) -> Int64 {
        let (difference, overflow) =
            left.milliseconds.subtractingReportingOverflow(right.milliseconds)
        guard overflow else { return difference }
        return left > right ? .max : .min
    }
}
