/// How many tasks of a queue may start in a period of time (Q13): a generic cell rate algorithm.
package struct Rate: Hashable, Sendable {
    /// The number of starts in a period, 1 to 1,000,000.
    package let count: Int
    /// The period in milliseconds, 1 to 366 days.
    package let milliseconds: Int64
    /// The maximum number of starts together after a rest, 1 to `count`; `nil` allows the number
    /// that 200 ms bring.
    package var burst: Int?

    /// A rate, or nil for values out of their range.
    package init?(_ count: Int, each milliseconds: Int64, burst: Int? = nil) {
        guard (1...1_000_000).contains(count), (1...366 * 86_400_000).contains(milliseconds),
            burst.map({ (1...count).contains($0) }) ?? true
        else { return nil }
        (self.count, self.milliseconds, self.burst) = (count, milliseconds, burst)
    }

    /// The rate that a text such as `10/1m` means, or nil.
    package init?(text: String) {
        let words = text.split(separator: "/", omittingEmptySubsequences: false)
        guard words.count == 2, let count = Int(words[0]), words[0].first?.isNumber == true,
            let period = DurationText.milliseconds(String(words[1]))
        else { return nil }
        self.init(count, each: period)
    }

    /// The same rate with another burst; nil for one out of its range.
    package func with(burst: Int?) -> Rate? { Rate(count, each: milliseconds, burst: burst) }

    /// The text that `init(text:)` reads, without the burst.
    package var text: String { "\(count)/\(DurationText.compact(milliseconds))" }

    /// Half of it: half the count if that is whole and not below the burst, else twice the period;
    /// nil beyond the range.
    package var halved: Rate? {
        if count % 2 == 0, burst ?? 0 <= count / 2 {
            return Rate(count / 2, each: milliseconds, burst: burst)
        }
        return Rate(count, each: milliseconds * 2, burst: burst)
    }

    /// Twice it: half of a period that has an even number of its unit, else twice the count; nil
    /// beyond the range. Doubling takes a halving back.
    package var doubled: Rate? {
        let number = Int64(text.drop { $0 != "/" }.dropFirst().prefix(while: \.isNumber)) ?? 1
        if number % 2 == 0 { return Rate(count, each: milliseconds / 2, burst: burst) }
        return Rate(count * 2, each: milliseconds, burst: burst)
            ?? (milliseconds % 2 == 0 ? Rate(count, each: milliseconds / 2, burst: burst) : nil)
    }

    /// The time that one start costs in microseconds, rounded up so that no period has more.
    var interval: Int64 { (milliseconds * 1000 + Int64(count) - 1) / Int64(count) }

    /// How many may start together.
    var together: Int64 {
        let soon = (200_000 + interval - 1) / interval
        return burst.map(Int64.init) ?? min(Int64(count), soon)
    }
}

extension QueueRecord {
    /// How many tasks its rate lets start at a moment; nil for a queue without a rate.
    package func allowance(at now: Timestamp) -> Int? {
        settings.rate.map { rate in
            Int((rate.interval * rate.together - debt(rate, at: now)) / rate.interval)
        }
    }

    /// When its rate lets the next task start; nil without a rate, or if a task may start now.
    package func rateOpens(after now: Timestamp) -> Timestamp? {
        guard let rate = settings.rate, let allowed = allowance(at: now), allowed < 1 else {
            return nil
        }
        let wait = debt(rate, at: now) - rate.interval * (rate.together - 1)
        return now + (wait + 999) / 1000
    }

    /// Notes that a task starts. A step by a person counts although it does not wait for the rate.
    package mutating func recordStart(at now: Timestamp) {
        guard let rate = settings.rate else { return }
        let due = debt(rate, at: now) + rate.interval
        paidUp = Self.micros(now) + min(due, rate.interval * rate.together)
    }

    /// Whether the starts so far are paid for later than its rate can give: the clock was set back,
    /// or the rate was slower.
    package func isBeyondRate(at now: Timestamp) -> Bool {
        guard let rate = settings.rate, let paidUp else { return false }
        return paidUp - Self.micros(now) > rate.interval * rate.together
    }

    /// Ends such a wait after one burst.
    package mutating func limitRate(at now: Timestamp) {
        guard let rate = settings.rate, isBeyondRate(at: now) else { return }
        paidUp = Self.micros(now) + rate.interval * rate.together
    }

    /// The microseconds until the starts so far are paid for, one burst at most.
    private func debt(_ rate: Rate, at now: Timestamp) -> Int64 {
        guard let paidUp else { return 0 }
        return min(max(0, paidUp - Self.micros(now)), rate.interval * rate.together)
    }

    private static func micros(_ moment: Timestamp) -> Int64 {
        let (micros, overflow) = moment.milliseconds.multipliedReportingOverflow(by: 1000)
        return overflow ? .max / 2 : micros
    }
}
