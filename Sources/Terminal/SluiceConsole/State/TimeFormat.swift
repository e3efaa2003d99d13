import SluiceModel

/// The format of times (K4). `T` selects the next one.
enum TimeFormat: String, Hashable, Sendable, CaseIterable {
    case relative, local, utc

    var next: TimeFormat {
        switch self {
        case .relative: .local
        case .local: .utc
        case .utc: .relative
        }
    }

    var sentence: String {
        switch self {
        case .relative: "times are relative"
        case .local: "times are local"
        case .utc: "times are UTC"
        }
    }
}

/// The moment of a picture and how it writes times.
struct ScreenClock: Hashable, Sendable {
    /// By the store's clock, which decides when tasks are due (G3).
    var now: Timestamp
    /// In real time, for what happened.
    var realNow: Timestamp
    var format: TimeFormat
    /// The zone of local times.
    var zone: ZoneRules
    /// Whether seconds are repainted; without it nothing on the screen may show them (K3).
    var ticks: Bool

    /// A moment by the clock of the store, and in real time if that is another.
    init(
        now: Timestamp, realNow: Timestamp? = nil, format: TimeFormat, zone: ZoneRules = .utc,
        ticks: Bool
    ) {
        (self.now, self.realNow) = (now, realNow ?? now)
        (self.format, self.zone, self.ticks) = (format, zone, ticks)
    }

    /// `14:03:22`, with the date before it on another day, and the year if it is another.
    func time(_ moment: Timestamp, seconds: Bool = true) -> String {
        let parts = shifted(moment)
        let clock = "\(TimeText.padded(parts.hour)):\(TimeText.padded(parts.minute))"
        let text = seconds ? "\(clock):\(TimeText.padded(parts.second))" : clock
        let today = shifted(now)
        let isToday = (today.year, today.month, today.day) == (parts.year, parts.month, parts.day)
        let day = "\(TimeText.padded(parts.month))-\(TimeText.padded(parts.day))"
        let date = today.year == parts.year ? day : "\(parts.year)-\(day)"
        return isToday ? text : "\(date) \(text)"
    }

    /// The start of an attempt, or its end if its system keeps only that.
    func moment(of attempt: AttemptRecord) -> String {
        (attempt.startedAt.ifKnown ?? attempt.endedAt).map { real.time($0) } ?? "?"
    }

    /// The same clock for times in real time.
    var real: ScreenClock {
        var clock = self
        clock.now = realNow
        return clock
    }

    /// The date of a moment of another day as `time` has it.
    func day(_ moment: Timestamp) -> String? {
        let words = time(moment).split(separator: " ")
        return words.count > 1 ? String(words[0]) : nil
    }

    /// The whole date and time.
    func date(_ moment: Timestamp) -> String {
        let parts = shifted(moment)
        return "\(parts.year)-\(TimeText.padded(parts.month))-\(TimeText.padded(parts.day)) "
            + "\(TimeText.padded(parts.hour)):\(TimeText.padded(parts.minute))"
            + ":\(TimeText.padded(parts.second))"
    }

    var header: String { time(now, seconds: ticks) + (format == .utc ? " UTC" : "") }

    /// How long ago, in one unit: `58s`, `2m`, `3h`, `4d`, `5y`; or since when.
    func age(_ moment: Timestamp) -> String {
        if moment == .unknown { return "" }
        guard format == .relative else { return time(moment, seconds: false) }
        return oneUnit(max(0, (now - moment) / 1000))
    }

    private func oneUnit(_ seconds: Int64) -> String {
        switch seconds {
        case ..<60: ticks ? "\(seconds)s" : "<1m"
        case ..<3600: "\(seconds / 60)m"
        case ..<86_400: "\(seconds / 3600)h"
        case ..<86_400_000: "\(seconds / 86_400)d"
        default: "\(seconds / 31_557_600)y"
        }
    }

    /// The same in a sentence: `for 2m`, or `since 14:03`; empty if that is not known.
    func sinceWords(_ moment: Timestamp) -> String {
        let age = age(moment)
        return age.isEmpty ? "" : "\(format == .relative ? "for" : "since") \(age)"
    }

    /// How long something takes already: `3s`, `1m 40s`.
    func lasting(since moment: Timestamp) -> String {
        DurationText.seconds(max(0, realNow - moment) / 1000)
    }

    /// How long until a moment, never less than a second before it: `12s`, `1m 40s`.
    func wait(until moment: Timestamp) -> String {
        DurationText.left(moment - now)
    }

    /// A future time: `in 12s`, or `14:03:34`.
    func coming(_ moment: Timestamp) -> String {
        guard format == .relative else { return "at \(time(moment))" }
        return moment <= now ? "now" : "in \(wait(until: moment))"
    }

    /// A future time in one unit: `in 9h`; nil if times are not relative.
    func comingShort(_ moment: Timestamp) -> String? {
        guard format == .relative, moment > now else { return nil }
        return "in " + oneUnit(DurationText.wholeSeconds(left: moment - now))
    }

    /// A countdown as clocks show it: `0:12`, `9:00`, `2h 5m`.
    func countdown(_ moment: Timestamp) -> String {
        let seconds = max(0, DurationText.wholeSeconds(left: moment - now))
        guard seconds < 3600 else { return DurationText.seconds(seconds) }
        return "\(seconds / 60):\(TimeText.padded(Int(seconds % 60)))"
    }

    /// The part of a wait that has passed.
    func fraction(since: Timestamp, until: Timestamp) -> Double {
        let whole = until - since
        guard whole > 0 else { return 1 }
        return min(max(Double(now - since) / Double(whole), 0), 1)
    }

    private func shifted(_ moment: Timestamp) -> TimeText.Parts {
        TimeText.parts(format == .utc ? moment : zone.local(moment))
    }
}
