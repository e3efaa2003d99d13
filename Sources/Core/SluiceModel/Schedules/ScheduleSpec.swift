package enum ScheduleSpec: Hashable, Sendable {
    /// At minutes of a calendar.
    case cron(CronSpec)
    /// At multiples of this interval since 1970-01-01T00:00:00Z: every 5 minutes means :00, :05 and
    /// so on.
    case every(milliseconds: Int64)

    /// The shortest and the longest time between two moments.
    static let intervals: ClosedRange<Int64> = 1000...366 * 86_400_000

    /// Reads five fields, a word such as `@daily`, or `every 5m`; throws `badValue`.
    package init(_ text: String) throws(QueueError) {
        let words = text.split(whereSeparator: \.isWhitespace)
        guard words.first == "every" || words.first == "@every" else {
            self = .cron(try CronSpec(text))
            return
        }
        guard words.count == 2, let interval = DurationText.milliseconds(String(words[1])),
            Self.intervals.contains(interval)
        else {
            throw .badValue("schedule", text, allowed: "every D, where D is 1s to 366d, such as 5m")
        }
        self = .every(milliseconds: interval)
    }

    /// Reads back as the same.
    package var text: String {
        switch self {
        case .cron(let spec): spec.text
        case .every(let interval): "every \(DurationText.compact(interval))"
        }
    }

    /// The first moment after `moment`, if any.
    package func next(after moment: Timestamp, in zone: ZoneRules = .utc) -> Timestamp? {
        switch self {
        case .cron(let spec): return spec.next(after: moment, in: zone)
        case .every(let interval):
            let passed = TimeText.floorDivide(moment.milliseconds, interval)
            let (next, overflow) = (passed + 1).multipliedReportingOverflow(by: interval)
            return overflow ? nil : Timestamp(milliseconds: next)
        }
    }

    /// The last moments from `first` to `last`, at most `limit`, in order, and whether there are
    /// more. The time depends on the number of moments returned, not on the length of the interval.
    package func moments(
        from first: Timestamp, through last: Timestamp, in zone: ZoneRules, limit: Int
    ) -> (moments: [Timestamp], isCut: Bool) {
        var window: Int64 = 3_600_000
        while true {
            let isWhole = last - first < window || window == .max
            var place = isWhole ? first + -1 : last + -window
            var found: [Timestamp] = []
            while let moment = next(after: place, in: zone), moment <= last {
                found.append(moment)
                place = moment
            }
            if isWhole || found.count > limit {
                return (Array(found.suffix(limit)), !isWhole || found.count > limit)
            }
            window = window > .max / 4 ? .max : window * 4
        }
    }
}
