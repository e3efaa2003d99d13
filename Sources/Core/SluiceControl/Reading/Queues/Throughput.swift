package import SluiceModel
import SluiceStore

/// A queue's recent throughput, from the counts of succeeded and failed attempts. It is accurate to
/// ten seconds. Durations are never too short, and at most a quarter too long.
///
/// Omits stopped, cancelled, offline and lost attempts, which say nothing about the work. A lost
/// attempt ends only when a process finds its runner dead.
package struct Throughput: Hashable, Sendable {
    /// Ended attempts in each of the last ten minutes, oldest first. The last minute is still open.
    package var perMinute: [Int]
    /// How many did in the last minute, from ten ends on the rate since the first of them; 0 after
    /// ten to twenty seconds without one.
    package var perMinuteNow: Int
    /// Tasks ended per minute. A failed attempt with a retry does not end its task.
    package var endedPerMinute: Int
    /// Arrivals per minute, from the last minute.
    package var arrivedPerMinute = 0
    package var succeeded: Int
    /// Attempts of the last ten minutes that count as failed.
    package var failed: Int
    /// The median duration in milliseconds; `nil` without attempts.
    package var medianMilliseconds: Int64?
    /// The time that 19 of 20 stayed under.
    package var slowMilliseconds: Int64?

    /// How far back it looks.
    package static let windowMilliseconds: Int64 = 600_000
    private static let slotMilliseconds: Int64 = 10_000

    /// How it went before a moment, by what ended since `windowMilliseconds` before it.
    package init(
        _ counts: [EndedCounts], failures: [EndedCounts] = [], now: Timestamp
    ) {
        let current = EndedCounts.minute(of: now)
        let minutes = Int(Self.windowMilliseconds / EndedCounts.minuteMilliseconds)
        perMinute = Array(repeating: 0, count: minutes)
        (succeeded, failed) = (0, 0)
        var (slots, ends): ([Int64: Int], [Int64: Int]) = ([:], [:])
        var durations = DurationTally()
        for count in counts {
            guard case .attempts(let outcome, let duration) = count.what, outcome != .other
            else { continue }
            let minute = EndedCounts.minute(of: count.minute)
            let place = minutes - 1 - Int(current - minute)
            // Counts only the recent slots of the oldest minute.
            let isFirst = place == -1
            let total =
                isFirst ? count.ended(after: EndedCounts.sixth(of: now)) : count.total
            guard total > 0, isFirst || perMinute.indices.contains(place) else { continue }
            if !isFirst { perMinute[place] += total }
            if outcome == .succeeded { succeeded += total }
            if outcome == .failed { failed += total }
            durations.add(total, duration)
            Self.add(count, to: &slots)
            if outcome == .succeeded { Self.add(count, to: &ends) }
        }
        for count in failures { Self.add(count, to: &ends) }
        medianMilliseconds = durations.percentile(0.5)
        slowMilliseconds = durations.percentile(0.95)
        perMinuteNow = Self.rate(slots, now: now)
        endedPerMinute = Self.rate(ends, now: now)
    }

    private static func add(_ count: EndedCounts, to slots: inout [Int64: Int]) {
        let minute = EndedCounts.minute(of: count.minute)
        for (sixth, ended) in count.sixths.enumerated() where ended > 0 {
            slots[minute * 6 + Int64(sixth), default: 0] += ended
        }
    }

    /// The minimum number of ends for a rate.
    private static let fewestEnds = 10

    /// The ends in the present slot and the five before it. Ten ends or more give a rate; its span
    /// begins at the first slot with an end. Returns 0 if the last two slots have no end.
    static func rate(_ slots: [Int64: Int], now: Timestamp) -> Int {
        let current = EndedCounts.minute(of: now) * 6 + Int64(EndedCounts.sixth(of: now))
        let recent = slots.filter { $0.key > current - 6 && $0.key <= current }
        guard let first = recent.keys.min(), recent.keys.contains(where: { $0 >= current - 1 })
        else { return 0 }
        let ended = recent.values.reduce(0, +)
        guard ended >= fewestEnds else { return ended }
        let passed = max(slotMilliseconds, now.milliseconds - first * slotMilliseconds)
        return Int(Int64(ended) * EndedCounts.minuteMilliseconds / passed)
    }

    /// When a rate may be another one although nothing ends: its next ten seconds begin.
    package static func change(after now: Timestamp) -> Timestamp {
        let slot = now.milliseconds / slotMilliseconds
        return Timestamp(milliseconds: (slot + 1) * slotMilliseconds)
    }

    /// The fraction of failed attempts; `nil` without attempts.
    package var failedPart: Double? {
        let all = succeeded + failed
        return all == 0 ? nil : Double(failed) / Double(all)
    }

    /// The minimum number of attempts to call a queue failing.
    private static let failingAttempts = 10

    /// Whether more than a fifth of its attempts failed, of ten or more.
    package var isFailing: Bool {
        let all = succeeded + failed
        return all >= Self.failingAttempts && failed * 5 > all
    }

    /// How long it takes until nothing waits, at the rates of now, in milliseconds; nil where no
    /// more tasks end than come.
    package func millisecondsUntilEmpty(waiting: Int) -> Int64? {
        let net = endedPerMinute - arrivedPerMinute
        guard net > 0, waiting > 0 else { return nil }
        return Int64(waiting) * EndedCounts.minuteMilliseconds / Int64(net)
    }
}

/// How many took how long.
package struct DurationTally: Hashable, Sendable {
    private var counts: [DurationBucket: Int] = [:]

    package init() {}

    package mutating func add(_ count: Int, _ duration: DurationBucket) {
        counts[duration, default: 0] += count
    }

    /// Those of another tally too.
    package mutating func add(_ other: DurationTally) {
        counts.merge(other.counts, uniquingKeysWith: +)
    }

    /// An estimate of the time that this part of them did not exceed, in milliseconds: the middle
    /// of a range.
    package func percentile(_ part: Double) -> Int64? {
        let all = counts.values.reduce(0, +)
        guard all > 0 else { return nil }
        var rest = min(all - 1, Int(Double(all) * part))
        for (duration, count) in counts.sorted(by: { $0.key < $1.key }) {
            if rest < count { return duration.middle }
            rest -= count
        }
        return nil
    }
}

extension Reading {
    /// The attempts of a queue in the last ten minutes, without arrivals and waiting tasks.
    package func attemptRate(of queue: String) throws -> Throughput {
        let since = real + -Throughput.windowMilliseconds
        return Throughput(
            try store.endedCounts(.attempts, queue: queue, since: since), now: real)
    }

    /// How a queue went in the last ten minutes; nil asks for all together.
    package func throughput(of queue: String?) throws -> Throughput {
        let counts = try store.endedCounts(
            .attempts, queue: queue, since: real + -Throughput.windowMilliseconds)
        let failures = try store.endedCounts(
            .failures, queue: queue, since: real + -EndedCounts.minuteMilliseconds)
        var throughput = Throughput(counts, failures: failures, now: real)
        if let queue, throughput.endedPerMinute > 0 {
            throughput.arrivedPerMinute = try arrivedPerMinute(in: queue)
        }
        return throughput
    }

    /// The number of newest tasks that determine the arrival rate.
    private static let arrivalsRead = 64

    /// Only arrivals within this time show that more will come.
    private static let lateMilliseconds: Int64 = 15_000

    /// The arrivals per minute of a queue. Uses positions, so ended tasks count too. If recent
    /// seconds had fewer arrivals, it uses those.
    package func arrivedPerMinute(in queue: String) throws -> Int {
        let last = try store.lastPosition(queue: queue)
        let first = last - Int64(Self.arrivalsRead) * positionGap
        let newest = try store.tasks(
            .arrived(queue: queue, after: first), limit: Self.arrivalsRead)
        let recent = newest.drop { now - $0.createdAt >= EndedCounts.minuteMilliseconds }
        guard let oldest = recent.first else { return 0 }
        let count = (last - oldest.position) / positionGap + 1
        // If the newest tasks all arrived in the last minute, older arrivals of that minute exist.
        let isWhole = recent.count < newest.count || newest.count < Self.arrivalsRead
        let span = isWhole ? EndedCounts.minuteMilliseconds : max(1000, now - oldest.createdAt)
        let perMinute = Int(count * EndedCounts.minuteMilliseconds / span)
        // A past burst does not predict more arrivals.
        let late = recent.count { now - $0.createdAt < Self.lateMilliseconds }
        guard late < recent.count else { return perMinute }
        return min(perMinute, late * Int(EndedCounts.minuteMilliseconds / Self.lateMilliseconds))
    }
}
