import SluicePlatform

/// How often those who only look at a store look again: at once after a change, as long as it costs
/// the machine little; so much later that work goes on beside them where all is busy (K3).
///
/// One who looks may be executed for a tenth of a processor, and all who look at a store of this
/// machine together for a twentieth of it; both over a second, so that a change in a quiet store is
/// seen at once by everybody. What counts is the time for which the process was executed,
/// whatever it did.
package final class ReadThrottle: Sendable {
    private struct Own: Sendable {
        var budget = LookingBudget(ofProcessor: 1, in: 10)
        /// The end of what was paid for.
        var executed: UInt64
        var moment: Int64 = 0
    }

    private let own: Protected<Own>
    private let all: LookingBudget
    private let shared: FileMoment?

    /// The pace of this process at a store.
    package init(_ store: any QueueStore) {
        own = Protected(Own(executed: SystemClock.processorNanoseconds()))
        all = LookingBudget(ofProcessor: Machine.processors, in: 20)
        shared = store.runFolder.flatMap { FileMoment("\($0)/notice") }
    }

    /// Pays for what this process did since the last call, and says in milliseconds how long it
    /// has to wait before it looks again.
    package func rest() -> Int {
        let now = Int64(SystemClock.monotonicNanoseconds())
        let (cost, rest) = own.withLock { own in
            // Asked with the lock held: several threads may pay, each for what is new since.
            let executed = max(own.executed, SystemClock.processorNanoseconds())
            let cost = Int64(executed - own.executed)
            own.executed = executed
            own.moment = own.budget.paid(cost, from: own.moment, at: now)
            return (cost, own.budget.rest(until: own.moment, at: now))
        }
        var longest = rest
        if let shared {
            shared.nanoseconds = all.paid(cost, from: shared.nanoseconds, at: now)
            longest = max(rest, all.rest(until: shared.nanoseconds, at: now))
        }
        return Int((longest + 999_999) / 1_000_000)
    }
}

/// A part of processors that may be used over a second: kept as the moment at which all that was
/// used is paid for. Times are nanoseconds of a clock that never goes back.
struct LookingBudget: Sendable {
    /// What was not used for a second is not kept.
    static let burst: Int64 = 1_000_000_000
    /// Nobody waits longer than this for what others used.
    static let longestWait: Int64 = 2_000_000_000

    /// So many nanoseconds of the clock pay for `unit` nanoseconds of a processor.
    private let price: Int64
    private let unit: Int64

    init(ofProcessor part: Int, in whole: Int) {
        (price, unit) = (Int64(whole), Int64(part))
    }

    /// The moment at which this too is paid for. One that cannot be true counts as passed.
    func paid(_ cost: Int64, from moment: Int64, at now: Int64) -> Int64 {
        let last = now + Self.burst + Self.longestWait
        let begin = moment > last ? now : max(moment, now)
        return min(begin + cost * price / unit, last)
    }

    /// How long to wait.
    func rest(until moment: Int64, at now: Int64) -> Int64 {
        min(max(0, moment - Self.burst - now), Self.longestWait)
    }
}
