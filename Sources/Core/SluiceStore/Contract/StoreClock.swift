package import SluiceModel
import SluiceSystem

/// The clock of a store on another machine (G3): its last reading plus the time since then by this
/// machine's monotonic clock.
///
/// Every process thus reads the same clock, and wrong or jumping clocks of machines have no effect.
package final class StoreClock: Sendable {
    private struct Sample {
        var shown: Int64
        var instant: Int64
        /// By how much `shown` may be wrong: half the time that the answer took.
        var doubt: Int64

        func time(at instant: Int64) -> Int64 { shown + instant - self.instant }

        /// Two quartz clocks drift apart by less than one in ten thousand.
        func doubt(at instant: Int64) -> Int64 { doubt + (instant - self.instant) / 10_000 + 1 }
    }

    private let sample = Protected<Sample?>(nil)
    private let instant: @Sendable () -> Int64

    /// A clock without a reading; `instant` is the machine's monotonic clock in milliseconds.
    package init(
        instant: @escaping @Sendable () -> Int64 = { SystemClock.monotonicMilliseconds() }
    ) {
        self.instant = instant
    }

    /// The current time, or `nil` before the first reading.
    package var now: Timestamp? {
        let instant = instant()
        return sample.withLock { $0.map { Timestamp(milliseconds: $0.time(at: instant)) } }
    }

    /// The monotonic moment now, which `note` wants from before and after the question.
    package var moment: Int64 { instant() }

    /// Notes what the clock showed at some moment between two, in milliseconds since 1970. Of two
    /// answers the surer one counts, unless they cannot both be right: then it was set anew.
    package func record(shown: Int64, between begin: Int64, and end: Int64) {
        let fresh = Sample(
            shown: shown, instant: begin + (end - begin) / 2, doubt: (end - begin) / 2)
        sample.withLock { sample in
            guard let known = sample else { return sample = fresh }
            let doubt = known.doubt(at: fresh.instant)
            let isSurer = fresh.doubt <= doubt
            let apart = abs(fresh.shown - known.time(at: fresh.instant))
            if isSurer || apart > fresh.doubt + doubt { sample = fresh }
        }
    }
}
