import SluiceSystem

/// Limits how often readers without work poll a store. They read immediately after a change while
/// this costs the machine little, and later on a busy machine, so that work continues (K3).
///
/// Each reader may use a twentieth of a processor. All readers of a store on this machine may use a
/// twentieth of the machine. Both limits apply over a second, so that readers see a change in a
/// quiet store immediately. The cost is the processor time of the whole process.
package final class ReadThrottle: Sendable {
    private struct Own: Sendable {
        var budget = LookingBudget.ofReader
        /// The processor time that is already charged.
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
            // Read inside the lock: several threads may charge, each for the time since the last
            // charge.
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

/// A share of processor time over a second, kept as the time until when all use is paid. Times are
/// nanoseconds of a monotonic clock.
struct LookingBudget: Sendable {
    static let ofReader = LookingBudget(ofProcessor: 1, in: 20)
    /// The unused budget that is kept, at most.
    static let burst: Int64 = 1_000_000_000
    /// The longest wait caused by the use of others.
    static let longestWait: Int64 = 2_000_000_000

    /// The clock time, in nanoseconds, that pays for `unit` nanoseconds of a processor.
    private let price: Int64
    private let unit: Int64

    init(ofProcessor part: Int, in whole: Int) {
        (price, unit) = (Int64(whole), Int64(part))
    }

    /// The time until when this cost is paid too. Treats an impossible time as passed.
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
