/// How many tasks of a queue may start in a period of time (Q13): a generic cell rate algorithm.
package struct Rate: Hashable, Sendable {
    /// The number of starts in a period, 1 to 1,000,000.
    package let count: Int
    /// The period in milliseconds, 1 to 366 days.
    package let milliseconds: Int64
    /// The maximum number of starts together after a rest, 1 to `count`; `nil` allows the number
    /// that 200 ms bring.
    package var burst: Int?
    /// The place of the payload whose values have this rate each; `nil` for one rate of all tasks.
    package var per: PayloadPath?

    /// A rate, or nil for values out of their range.
    package init?(
        _ count: Int, each milliseconds: Int64, burst: Int? = nil, per: PayloadPath? = nil
    ) {
        guard (1...1_000_000).contains(count), (1...366 * 86_400_000).contains(milliseconds),
            burst.map({ (1...count).contains($0) }) ?? true
        else { return nil }
        (self.count, self.milliseconds, self.burst) = (count, milliseconds, burst)
        self.per = per
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
    package func with(burst: Int?) -> Rate? {
        Rate(count, each: milliseconds, burst: burst, per: per)
    }

    /// The text that `init(text:)` reads, without the burst and the place.
    package var text: String { "\(count)/\(DurationText.compact(milliseconds))" }

    /// Half of it: half the count if that is whole and not below the burst, else twice the period;
    /// nil beyond the range.
    package var halved: Rate? {
        if count % 2 == 0, burst ?? 0 <= count / 2 {
            return Rate(count / 2, each: milliseconds, burst: burst, per: per)
        }
        return Rate(count, each: milliseconds * 2, burst: burst, per: per)
    }

    /// Twice it: half of a period that has an even number of its unit, else twice the count; nil
    /// beyond the range. Doubling takes a halving back.
    package var doubled: Rate? {
        let number = Int64(text.drop { $0 != "/" }.dropFirst().prefix(while: \.isNumber)) ?? 1
        let faster = Rate(count, each: milliseconds / 2, burst: burst, per: per)
        if number % 2 == 0 { return faster }
        return Rate(count * 2, each: milliseconds, burst: burst, per: per)
            ?? (milliseconds % 2 == 0 ? faster : nil)
    }

    /// The time that one start costs in microseconds, rounded up so that no period has more.
    var interval: Int64 { (milliseconds * 1000 + Int64(count) - 1) / Int64(count) }

    /// The same in whole milliseconds.
    package var millisecondsEach: Int64 { (interval + 999) / 1000 }

    /// How many may start together.
    var together: Int64 {
        let soon = (200_000 + interval - 1) / interval
        return burst.map(Int64.init) ?? min(Int64(count), soon)
    }
}

extension QueueRecord {
    /// How many tasks its rate lets start at a moment: of a key, or of the queue. `nil` where it
    /// has no such rate.
    package func allowance(of key: RateKey? = nil, at now: Timestamp) -> Int? {
        guard let rate = settings.rate, (rate.per == nil) == (key == nil) else { return nil }
        return Int(
            (rate.interval * rate.together - debt(rate, key, at: now)) / rate.interval)
    }

    /// When its rate lets the next task start, of a key or of the queue. `nil` if it has no such
    /// rate, or if a task may start now.
    package func rateOpens(for key: RateKey? = nil, after now: Timestamp) -> Timestamp? {
        guard let rate = settings.rate, let allowed = allowance(of: key, at: now), allowed < 1
        else { return nil }
        let wait = debt(rate, key, at: now) - rate.interval * (rate.together - 1)
        return now + (wait + 999) / 1000
    }

    /// Notes that a task starts. A step by a person counts although it does not wait for the rate.
    package mutating func recordStart(of key: RateKey? = nil, at now: Timestamp) {
        guard let rate = settings.rate else { return }
        let due = debt(rate, key, at: now) + rate.interval
        let until = Self.micros(now) + min(due, rate.interval * rate.together)
        if let key { paidKeys.set(until, of: key, at: Self.micros(now)) } else { paidUp = until }
    }

    /// Whether the starts so far are paid for later than its rate can give: the clock was set back,
    /// or the rate was slower.
    package func isBeyondRate(at now: Timestamp) -> Bool {
        guard let rate = settings.rate,
            let last = rate.per == nil ? paidUp : paidKeys.times.values.max()
        else { return false }
        return last - Self.micros(now) > rate.interval * rate.together
    }

    /// Ends such a wait after one burst. Without a rate for each key it keeps none.
    package mutating func limitRate(at now: Timestamp) {
        if settings.rate?.per == nil { paidKeys = PaidKeys() }
        guard let rate = settings.rate, isBeyondRate(at: now) else { return }
        let most = Self.micros(now) + rate.interval * rate.together
        if rate.per == nil { paidUp = most } else { paidKeys.limit(to: most) }
    }

    /// The microseconds until the starts so far are paid for, one burst at most.
    private func debt(_ rate: Rate, _ key: RateKey?, at now: Timestamp) -> Int64 {
        guard let paid = key.map({ paidKeys.times[$0] }) ?? paidUp else { return 0 }
        return min(max(0, paid - Self.micros(now)), rate.interval * rate.together)
    }

    private static func micros(_ moment: Timestamp) -> Int64 {
        let (micros, overflow) = moment.milliseconds.multipliedReportingOverflow(by: 1000)
        return overflow ? .max / 2 : micros
    }
}
