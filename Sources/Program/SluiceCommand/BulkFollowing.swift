import SluiceControl
import SluiceSystem

/// Callbacks during a bulk operation: one before each slice, one at its end.
struct BulkFollowing: Sendable {
    /// Receives the progress. Returns whether to continue.
    var watch: BulkWatch
    /// Called once at the end, for any outcome.
    var end: @Sendable () -> Void = {}

    /// Without an observer.
    static let unwatched = BulkFollowing(watch: { _ in .goOn })

    /// For a command: INT or TERM stops the bulk operation between two slices, a second signal ends
    /// the program. With `showsLine`, a line on the terminal shows the progress (K7).
    static func command(showsLine: Bool) throws -> BulkFollowing {
        let signals = try SignalWatch { _ in false }
        let line = showsLine ? ProgressLine() : nil
        return BulkFollowing(
            watch: { progress in
                line?.show(progress)
                return signals.hasStopped ? .stop : .goOn
            },
            end: {
                line?.clear()
                signals.end()
            })
    }
}

/// One line on standard error that is written over itself, ten times a second at most.
private final class ProgressLine: Sendable {
    private struct Shown: Sendable {
        var columns = 0
        var atNanoseconds: UInt64 = 0
    }
    private static let restNanoseconds: UInt64 = 100_000_000
    private let estimate: BulkEstimate
    private let shown = Protected(Shown())

    init() { estimate = BulkEstimate(beganNanoseconds: SystemClock.monotonicNanoseconds()) }

    func show(_ progress: BulkProgress) {
        let moment = SystemClock.monotonicNanoseconds()
        guard shown.withLock({ moment - $0.atNanoseconds > Self.restNanoseconds }) else { return }
        let left = estimate.secondsLeft(progress, atNanoseconds: moment)
        write(progress.sentence(secondsLeft: left) + "; ^C stops it", at: moment)
    }

    func clear() {
        guard shown.withLock({ $0.columns > 0 }) else { return }
        write("", at: 0)
        try? Standard.write("\r", to: .errors)
    }

    private func write(_ text: String, at moment: UInt64) {
        let former = shown.withLock { shown -> Int in
            defer { shown = Shown(columns: text.count, atNanoseconds: moment) }
            return shown.columns
        }
        let blanks = String(repeating: " ", count: max(0, former - text.count))
        // A failed write is harmless.
        try? Standard.write("\r\(text)\(blanks)", to: .errors)
    }
}
