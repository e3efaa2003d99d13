import SluiceSystem

/// An answer that took a server long. It is kept for a multiple of that time, so that a console
/// that looks again and again leaves the server most of its time.
struct LongAnswer<Value> {
    private static var longMilliseconds: Int64 { 25 }
    private var kept: (value: Value, changes: Int, at: Int64, took: Int64)?

    /// Returns the kept answer if it fits and `changes` is still the same; otherwise asks.
    ///
    /// A `small` answer is never kept: it took long only because the server was busy.
    mutating func get(
        _ changes: Int, times rest: Int64 = 20,
        by clock: () -> Int64 = SystemClock.monotonicMilliseconds,
        fits: (Value) -> Bool = { _ in true }, small isSmall: (Value) -> Bool = { _ in false },
        _ ask: () throws -> Value
    ) rethrows -> Value {
        let now = clock()
        if let kept, kept.changes == changes, fits(kept.value), now - kept.at < kept.took * rest {
            return kept.value
        }
        let value = try ask()
        let end = clock()
        let took = end - now
        let isLong = took >= Self.longMilliseconds && !isSmall(value)
        kept = isLong ? (value, changes, end, took) : nil
        return value
    }
}
