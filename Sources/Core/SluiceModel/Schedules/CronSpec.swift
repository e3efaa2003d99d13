/// The minutes of a calendar when something is due, as five fields: minute, hour, day of the month,
/// month, day of the week.
package struct CronSpec: Hashable, Sendable {
    /// The fields as given, separated by single spaces.
    package let text: String
    /// Which numbers each field allows, as bits.
    let minutes, hours, days, months, weekdays: UInt64
    /// Whether the field of days is anything but `*`.
    let restrictsDays: Bool
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

/// Reading the five fields.
extension CronSpec {
    /// Reads five fields, or a word such as `@daily`. Throws `badValue` with the field that cannot
    /// be, and for days that no year has.
    package init(_ text: String) throws(QueueError) {
        let words = text.split(whereSeparator: \.isWhitespace).map(String.init)
        if words.count == 1, words[0].hasPrefix("@") {
            guard let fields = Self.names[words[0].lowercased()] else {
                throw .badValue("schedule", text, allowed: Self.nearestName(words[0]))
            }
            self = try CronSpec(fields)
            return
        }
        guard words.count == 5 else {
            throw QueueError(
                .badValue,
                "schedule: \"\(text)\" has \(words.count) field\(words.count == 1 ? "" : "s") and "
                    + "a cron has five: minute, hour, day of the month, month, day of the week",
                fix: "such as \"0 3 * * *\", @daily, or \"every 5m\"")
        }
        self.text = words.joined(separator: " ")
        minutes = try Field.minute.bits(words[0], of: text)
        hours = try Field.hour.bits(words[1], of: text)
        days = try Field.day.bits(words[2], of: text)
        months = try Field.month.bits(words[3], of: text)
        let week = try Field.weekday.bits(words[4], of: text)
        // Sunday is 0 and 7.
        weekdays = week & 0x7F | week >> 7 & 1
        (restrictsDays, restrictsWeekdays) = (words[2] != "*", words[4] != "*")
        guard next(after: Timestamp(milliseconds: 0)) != nil else {
            throw QueueError(
                .badValue, "schedule: \"\(text)\" never comes: no year has that day in that month",
                fix: "name a day that the month has")
        }
    }

    private static let names = [
        "@hourly": "0 * * * *", "@daily": "0 0 * * *", "@midnight": "0 0 * * *",
        "@weekly": "0 0 * * 0", "@monthly": "0 0 1 * *", "@yearly": "0 0 1 1 *",
        "@annually": "0 0 1 1 *",
    ]

    private static func nearestName(_ word: String) -> String {
        let near = Spelling.nearest(to: word, among: names.keys.sorted())
        return (near.map { "\($0) is near; " } ?? "")
            + "@hourly, @daily, @weekly, @monthly, @yearly, five fields, or every 5m"
    }
}

/// One field: which numbers it may have, and their names.
private struct Field {
    var what: String
    var range: ClosedRange<Int>
    var names: [String] = []
    /// The number of the first name.
    var firstName = 0

    static let minute = Field(what: "minute", range: 0...59)
    static let hour = Field(what: "hour", range: 0...23)
    static let day = Field(what: "day of the month", range: 1...31)
    static let month = Field(
        what: "month", range: 1...12,
        names: [
            "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
        ],
        firstName: 1)
    static let weekday = Field(
        what: "day of the week", range: 0...7,
        names: ["sun", "mon", "tue", "wed", "thu", "fri", "sat"])

    /// The numbers that a field allows: a list of `*`, numbers, names and ranges, each perhaps with
    /// a step.
    func bits(_ field: String, of text: String) throws(QueueError) -> UInt64 {
        var bits: UInt64 = 0
        for part in field.split(separator: ",", omittingEmptySubsequences: false) {
            for number in try numbers(String(part), of: text) { bits |= 1 << UInt64(number) }
        }
        return bits
    }

    private func numbers(
        _ part: String, of text: String
    ) throws(QueueError) -> StrideThrough<Int> {
        let halves = part.split(separator: "/", omittingEmptySubsequences: false)
        guard halves.count <= 2, let span = halves.first, !span.isEmpty else {
            throw refusal(part, of: text)
        }
        var step = 1
        if halves.count == 2 {
            guard let given = Int(halves[1]), (1...range.upperBound).contains(given) else {
                throw refusal(part, of: text, "a step is a number from 1 to \(range.upperBound)")
            }
            step = given
        }
        let ends = span.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
        let lower: Int
        var upper: Int
        switch ends.count {
        case 1 where ends[0] == "*": (lower, upper) = (range.lowerBound, all)
        case 1:
            lower = try number(ends[0], part, of: text)
            upper = halves.count == 2 ? all : lower
        case 2:
            lower = try number(ends[0], part, of: text)
            upper = try number(ends[1], part, of: text)
            // A week may end with Sunday.
            if upper == 0, lower > 0, range.upperBound == 7 { upper = 7 }
        default: throw refusal(part, of: text)
        }
        guard lower <= upper else {
            throw refusal(part, of: text, "a range goes from the smaller to the larger")
        }
        return stride(from: lower, through: upper, by: step)
    }

    /// The last number of the whole field: a week has each day once.
    private var all: Int { range.upperBound == 7 ? 6 : range.upperBound }

    private func number(_ word: String, _ part: String, of text: String) throws(QueueError) -> Int {
        if let place = names.firstIndex(of: word.lowercased()) { return place + firstName }
        guard !word.isEmpty, word.utf8.count <= 4, word.utf8.allSatisfy({ (48...57).contains($0) }),
            let number = Int(word), range.contains(number)
        else { throw refusal(part, of: text) }
        return number
    }

    private func refusal(_ part: String, of text: String, _ why: String? = nil) -> QueueError {
        let numbers = "\(range.lowerBound) to \(range.upperBound)"
        let words = names.isEmpty ? "" : " or \(names[0]) to \(names[names.count - 1])"
        return QueueError(
            .badValue, "schedule: \"\(part)\" is no \(what) (of \"\(text)\")",
            fix: why ?? "allowed: *, \(numbers)\(words), ranges (a-b), steps (*/n) and lists (a,b)")
    }
}
