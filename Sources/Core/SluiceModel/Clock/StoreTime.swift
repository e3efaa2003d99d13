/// The relation of a store's clock to real time (G3). Waiting tasks use the store's clock.
///
/// It maps a real moment to the clock's time, and a time to the first real moment when the clock
/// shows it.
package enum StoreTime: Hashable, Sendable {
    case real
    /// Ahead of real time by some milliseconds; negative if late.
    case offset(Int64)
    case frozen(at: Timestamp)
    /// At a multiple of the real rate; it showed `from` at the real moment `since`.
    case rate(Double, from: Timestamp, since: Timestamp)

    /// The last moment that a clock shows: the end of the year 9999.
    package static let last = Timestamp(milliseconds: 253_402_300_799_999)
    /// The rates that a clock may have.
    package static let rates = 0.01...1000.0

    /// The clock's time at a real moment, at most the end of the year 9999.
    package func time(at real: Timestamp) -> Timestamp {
        switch self {
        case .real: real
        case .offset(let milliseconds): min(real + milliseconds, Self.last)
        case .frozen(let moment): moment
        case .rate(let rate, let from, let since):
            min(from + Self.whole(Double(real - since) * rate, .down), Self.last)
        }
    }

    /// The first real moment when the clock shows a time; `nil` for never.
    package func moment(of time: Timestamp) -> Timestamp? {
        switch self {
        case .real: return time
        case .offset(let milliseconds):
            return time > Self.last ? nil : time + -milliseconds
        case .frozen(let moment): return time <= moment ? time : nil
        case .rate(let rate, let from, let since):
            guard time <= Self.last else { return nil }
            var moment = since + Self.whole(Double(time - from) / rate, .up)
            // Correct the rounding by a step.
            while self.time(at: moment) < time { moment = moment + 1 }
            while self.time(at: moment + -1) >= time { moment = moment + -1 }
            return moment
        }
    }

    private static func whole(_ number: Double, _ rule: FloatingPointRoundingRule) -> Int64 {
        Int64(exactly: number.rounded(rule)) ?? (number < 0 ? .min / 4 : .max / 4)
    }

    /// By how much the clock is ahead at a real moment, in milliseconds.
    package func offset(at real: Timestamp) -> Int64 { time(at: real) - real }

    /// The rate relative to real time; 0 while frozen.
    package var rate: Double {
        switch self {
        case .real, .offset: 1
        case .frozen: 0
        case .rate(let rate, _, _): rate
        }
    }

    /// The word for its state, as JSON spells it.
    package var word: String {
        switch self {
        case .real: "real"
        case .offset: "offset"
        case .frozen: "frozen"
        case .rate: "rate"
        }
    }

    /// The clock, frozen at its present time.
    package func frozen(at real: Timestamp) -> StoreTime { .frozen(at: time(at: real)) }

    /// The clock with another time at a real moment and the same rate.
    package func set(to time: Timestamp, at real: Timestamp) -> StoreTime {
        switch self {
        case .real, .offset: Self.ahead(time - real)
        case .frozen: .frozen(at: time)
        case .rate(let rate, _, _): .rate(rate, from: time, since: real)
        }
    }

    /// The clock with another rate from its present time on.
    package func going(_ rate: Double, at real: Timestamp) -> StoreTime {
        let time = time(at: real)
        return rate == 1 ? Self.ahead(time - real) : .rate(rate, from: time, since: real)
    }

    private static func ahead(_ milliseconds: Int64) -> StoreTime {
        milliseconds == 0 ? .real : .offset(milliseconds)
    }
}

/// The clock of a store, as a person set it.
package struct ClockSetting: Hashable, Sendable {
    /// How it follows the real time.
    package var time: StoreTime
    package var by: String
    /// When, in real time.
    package var since: Timestamp

    package init(_ time: StoreTime, by: String, since: Timestamp) {
        (self.time, self.by, self.since) = (time, by, since)
    }
}
