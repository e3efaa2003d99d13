import SluiceControl
import SluicePlatform

/// How somebody follows a bulk: what is asked before each slice, and what is done when it is over.
struct BulkFollowing: Sendable {
    /// Told how far it is; says whether it goes on.
    var watch: BulkWatch
    /// Called once, whatever the end was.
    var end: @Sendable () -> Void = {}

    /// Nobody follows.
    static let unwatched = BulkFollowing(watch: { _ in .goOn })

    /// A person at a command: INT or TERM stops the bulk between two slices, a second one ends the
    /// program at once; with `line` a line on their terminal says how far it is (K7).
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

    /// Writes over what stands there.
    private func write(_ text: String, at moment: UInt64) {
        let former = shown.withLock { shown -> Int in
            defer { shown = Shown(columns: text.count, atNanoseconds: moment) }
            return shown.columns
        }
        let blanks = String(repeating: " ", count: max(0, former - text.count))
        // Where nobody reads it nobody misses it.
        try? Standard.write("\r\(text)\(blanks)", to: .errors)
    }
}
