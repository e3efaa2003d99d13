/// The minutes of a calendar when something is due, as five fields: minute, hour, day of the month,
/// month, day of the week.
package struct CronSpec: Hashable, Sendable {
    /// The fields as given, separated by single spaces.
    package let text: String
    /// Which numbers each field allows, as bits.
    let minutes, hours, days, months, weekdays: UInt64
    /// Whether the field of days is anything but `*`.
    let restrictsDays: Bool
    /// The same of the field of weekdays.
    let restrictsWeekdays: Bool

    /// The number of days to search for the next moment; 29 February may be eight years away.
    private static let horizon = 3300
    /// The year 9999 ends before it.
    private static let latest: Int64 = 253_402_300_800_000

    /// The first moment after `moment` that the fields allow by the clocks of `zone`; `nil` if none
    /// exists.
    ///
    /// A local time that the clocks skip means the moment of the change. A repeated local time
    /// means its first occurrence.
    package func next(after moment: Timestamp, in zone: ZoneRules = .utc) -> Timestamp? {
        guard (-Self.latest..<Self.latest).contains(moment.milliseconds) else { return nil }
        let local = zone.local(TimeText.floorDivide(moment.milliseconds, 1000))
        let start = TimeText.floorDivide(local, 60) + 1
        let first = TimeText.floorDivide(start, 1440)
        for day in first..<first + Int64(Self.horizon) where allows(day: day) {
            let begin = day == first ? Int(start - first * 1440) : 0
            if let found = next(in: day, from: begin, after: moment, zone) { return found }
        }
        return nil
    }

    private func next(
        in day: Int64, from begin: Int, after moment: Timestamp, _ zone: ZoneRules
    ) -> Timestamp? {
        for hour in begin / 60..<24 where hours & 1 << UInt64(hour) != 0 {
            let first = hour == begin / 60 ? begin % 60 : 0
            for minute in first..<60 where minutes & 1 << UInt64(minute) != 0 {
                let local = day * 86400 + Int64(hour * 3600 + minute * 60)
                let found = Timestamp(milliseconds: zone.first(ofLocal: local) * 1000)
                if found > moment { return found }
            }
        }
        return nil
    }

    /// Whether a day, counted from 1970-01-01, is allowed: where both fields of days restrict it,
    /// one of them is enough.
    private func allows(day: Int64) -> Bool {
        let (_, month, date) = TimeText.civil(day)
        guard months & 1 << UInt64(month) != 0 else { return false }
        // 1970-01-01 was a Thursday.
        let weekday = ((day % 7) + 11) % 7
        let isDay = days & 1 << UInt64(date) != 0
        let isWeekday = weekdays & 1 << UInt64(weekday) != 0
        return restrictsDays && restrictsWeekdays ? isDay || isWeekday : isDay && isWeekday
    }
}
