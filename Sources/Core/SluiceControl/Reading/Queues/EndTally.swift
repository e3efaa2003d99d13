package import SluiceModel
import SluiceStore

/// How many attempts succeeded and failed in each ten seconds: from counts that are kept.
package struct EndTally: Hashable, Sendable {
    /// Attempts of one part of time.
    package struct Count: Hashable, Sendable {
        package var succeeded = 0
        package var failed = 0

        /// No attempts.
        package init() {}
    }
    /// The counts by the number of the ten seconds since 1970.
    package private(set) var tens: [Int64: Count] = [:]
    /// From the minute of this moment on it is complete.
    package let since: Timestamp

    /// By the kept counts since the minute of a moment.
    package init(_ counts: [EndedCounts], since: Timestamp) {
        self.since = since
        for count in counts {
            guard case .attempts(let outcome, _) = count.what, outcome != .other else { continue }
            let first = EndedCounts.minute(of: count.minute) * 6
            for (sixth, ended) in count.sixths.enumerated() where ended > 0 {
                let key = first + Int64(sixth)
                if outcome == .succeeded {
                    tens[key, default: Count()].succeeded += ended
                } else {
                    tens[key, default: Count()].failed += ended
                }
            }
        }
    }

    /// Attempts that ended since a former look, which began no later than this one.
    package func new(since former: EndTally) -> Count {
        var new = Count()
        for (key, count) in tens {
            let known = former.tens[key] ?? Count()
            new.succeeded += max(0, count.succeeded - known.succeeded)
            new.failed += max(0, count.failed - known.failed)
        }
        return new
    }

    /// The last parts, ten seconds (`length` 1) or a minute (6) each, up to a moment, the oldest
    /// first; the last part is in progress.
    package func parts(of length: Int64, count: Int, until now: Timestamp) -> [Count] {
        let minute = EndedCounts.minute(of: now)
        let last = minute * 6 + Int64(EndedCounts.sixth(of: now))
        let first = (length == 1 ? last : minute * 6) - Int64(count - 1) * length
        return (0..<count).map { place in
            var sum = Count()
            for ten in 0..<length {
                let found = tens[first + Int64(place) * length + ten] ?? Count()
                sum.succeeded += found.succeeded
                sum.failed += found.failed
            }
            return sum
        }
    }

    /// The present rate of successes, and the failures of the last minute: a failure must not
    /// leave the figure after twenty seconds.
    package func perMinute(at now: Timestamp) -> Count {
        var rates = parts(of: 1, count: 6, until: now).reduce(into: Count()) { sum, part in
            sum.failed += part.failed
        }
        rates.succeeded = Throughput.rate(tens.mapValues(\.succeeded).filter { $1 > 0 }, now: now)
        return rates
    }
}

extension Reading {
    /// The attempts of a queue that ended since the minute of a moment; nil asks for all queues.
    package func endTally(of queue: String?, since: Timestamp) throws -> EndTally {
        EndTally(
            try store.endedCounts(.attempts, queue: queue, since: since), since: since)
    }
}
