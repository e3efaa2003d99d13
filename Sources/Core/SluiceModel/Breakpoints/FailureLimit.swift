/// The share of failed attempts of a queue from which a breakpoint on failures stops: a guard.
package struct FailureLimit: Hashable, Sendable {
    /// The attempts that a guard counted.
    package struct Rate: Hashable, Sendable {
        package var failed: Int
        package var attempts: Int

        package init(failed: Int, attempts: Int) {
            (self.failed, self.attempts) = (failed, attempts)
        }
    }
    /// A firing of a guard, and the rate that it saw.
    package struct Firing: Hashable, Sendable {
        /// The real time.
        package var at: Timestamp
        package var rate: Rate

        package init(at: Timestamp, rate: Rate) { (self.at, self.rate) = (at, rate) }
    }
    /// The least share, in percent.
    package var percent: Int
    /// The least number of attempts.
    package var attempts: Int
    /// How far back attempts count, in milliseconds.
    package var milliseconds: Int64
    /// How long a stop lasts, in milliseconds; nil until a person resumes the queue.
    package var pauseMilliseconds: Int64?

    /// The defaults of a guard.
    package static let usual = FailureLimit(percent: 20, attempts: 50, milliseconds: 300_000)
    /// The longest time back: ends are kept for an hour.
    package static let longestMilliseconds: Int64 = 3_600_000

    package init(
        percent: Int, attempts: Int, milliseconds: Int64, pauseMilliseconds: Int64? = nil
    ) {
        (self.percent, self.attempts) = (percent, attempts)
        (self.milliseconds, self.pauseMilliseconds) = (milliseconds, pauseMilliseconds)
    }

    /// The rate in the kept ends at a moment, in steps of ten seconds. Attempts before the last
    /// firing do not count again.
    package func rate(
        of counts: [EndedCounts], at now: Timestamp, after firing: Firing?
    ) -> Rate {
        let begin = now + -milliseconds
        let slot: Int64 = 10_000
        var rate = Rate(failed: 0, attempts: 0)
        for entry in counts {
            guard case .attempts(let outcome, _) = entry.what, outcome != .other else { continue }
            for (index, count) in entry.sixths.enumerated() {
                let start = entry.minute + Int64(index) * slot
                guard start + slot > begin, firing.map({ start > $0.at }) ?? true else { continue }
                rate.attempts += count
                if outcome == .failed { rate.failed += count }
            }
        }
        return rate
    }

    /// Whether a rate is one to stop at.
    package func isReached(by rate: Rate) -> Bool {
        rate.attempts >= attempts && rate.failed * 100 >= percent * rate.attempts
    }
}
