import SluiceConsole
import SluiceControl
import SluiceSystem

/// How the screen follows bulks, and which of them are to stop.
final class BulkStops: Sendable {
    private struct Wishes: Sendable {
        var tokens: Set<Int> = []
        var all = false
    }
    /// The minimum interval between progress messages.
    private static let restNanoseconds: UInt64 = 50_000_000
    private let wishes = Protected(Wishes())

    /// Stops the verb of a token between two slices.
    func stop(_ token: Int) { wishes.withLock { _ = $0.tokens.insert(token) } }

    /// Stops every one, because the program ends.
    func stopAll() { wishes.withLock { $0.all = true } }

    /// The watch of a verb: reports the progress to the screen before each slice.
    func watch(_ token: Int, telling inbox: ScreenInbox) -> BulkWatch {
        let told = Protected<(estimate: BulkEstimate?, atNanoseconds: UInt64)>((nil, 0))
        return { [wishes] progress in
            let moment = SystemClock.monotonicNanoseconds()
            let (estimate, isDue) = told.withLock { told -> (BulkEstimate, Bool) in
                let estimate = told.estimate ?? BulkEstimate(beganNanoseconds: moment)
                let isDue =
                    told.estimate == nil || moment - told.atNanoseconds > Self.restNanoseconds
                told = (estimate, isDue ? moment : told.atNanoseconds)
                return (estimate, isDue)
            }
            if isDue {
                let left = estimate.secondsLeft(progress, atNanoseconds: moment)
                inbox.put(.message(.progressed(token: token, progress, secondsLeft: left)))
            }
            return wishes.withLock { $0.all || $0.tokens.contains(token) } ? .stop : .goOn
        }
    }
}
