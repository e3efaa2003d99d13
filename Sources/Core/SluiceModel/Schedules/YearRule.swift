/// How a zone's clocks change in every year, as a TZ string of POSIX says it:
/// `CET-1CEST,M3.5.0,M10.5.0/3`.
struct YearRule: Hashable, Sendable {
    /// A day of a year and a time of it.
    enum Day: Hashable, Sendable {
        /// A weekday (0 is Sunday) of a week of a month; week 5 is the last one.
        case week(month: Int, week: Int, weekday: Int)
        /// A day from 1 to 365; 29 February is never counted.
        case withoutLeapDay(Int)
        /// A day from 0 to 365, including 29 February.
        case counted(Int)
    }
    struct Change: Hashable, Sendable {
        var day: Day
        /// Seconds of the local time before the change.
        var time: Int64
    }
    /// The seconds ahead of UTC while no other time holds.
    var offset: Int64
    /// The other time, with its beginning and its end in each year.
    var other: (offset: Int64, begin: Change, end: Change)?

    static func == (one: YearRule, two: YearRule) -> Bool {
        one.offset == two.offset && one.other?.offset == two.other?.offset
            && one.other?.begin == two.other?.begin && one.other?.end == two.other?.end
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(offset)
        hasher.combine(other?.offset)
        hasher.combine(other?.begin)
        hasher.combine(other?.end)
    }

    /// The span between two changes that contains a moment.
    func span(at moment: Int64) -> ZoneRules.Span {
        guard let other else { return .init(from: .min, to: nil, offset: offset) }
        let year = TimeText.civil(TimeText.floorDivide(moment, 86400)).year
        var changes: [(at: Int64, offset: Int64)] = []
        for year in year - 1...year + 1 {
            changes.append((Self.moment(other.begin, in: year) - offset, other.offset))
            changes.append((Self.moment(other.end, in: year) - other.offset, offset))
        }
        changes.sort { $0.at < $1.at }
        let place = changes.lastIndex { $0.at <= moment } ?? 0
        let end = place + 1 < changes.count ? changes[place + 1].at : nil
        return .init(from: changes[place].at, to: end, offset: changes[place].offset)
    }

    /// The local second of a change in a year.
    private static func moment(_ change: Change, in year: Int) -> Int64 {
        let first = TimeText.days(year, 1, 1)
        let day: Int64
        switch change.day {
        case .counted(let number): day = first + Int64(number)
        case .withoutLeapDay(let number):
            let isPast = number >= 60 && TimeText.daysIn(month: 2, year: year) == 29
            day = first + Int64(number - 1 + (isPast ? 1 : 0))
        case .week(let month, let week, let weekday):
            let begin = TimeText.days(year, month, 1)
            // 1970-01-01 was a Thursday.
            let beginning = Int(((begin % 7) + 11) % 7)
            var date = (weekday - beginning + 7) % 7 + 7 * (week - 1)
            if date >= TimeText.daysIn(month: month, year: year) { date -= 7 }
            day = begin + Int64(date)
        }
        return day * 86400 + change.time
    }
}

/// Reading a TZ string.
extension YearRule {
    /// `nil` if the text is invalid.
    init?(_ text: some StringProtocol) {
        var rest = Scan(bytes: Array(text.utf8)[...])
        guard rest.name(), let west = rest.time() else { return nil }
        offset = -west
        guard !rest.bytes.isEmpty else { return }
        guard rest.name() else { return nil }
        var ahead = offset + 3600
        if rest.bytes.first != UInt8(ascii: ",") {
            guard let west = rest.time() else { return nil }
            ahead = -west
        }
        guard let begin = rest.change(), let end = rest.change(), rest.bytes.isEmpty else {
            return nil
        }
        other = (ahead, begin, end)
    }

    private struct Scan {
        var bytes: ArraySlice<UInt8>

        mutating func consume(_ letter: Unicode.Scalar) -> Bool {
            guard bytes.first == UInt8(ascii: letter) else { return false }
            bytes.removeFirst()
            return true
        }

        mutating func number() -> Int? {
            var value: Int?
            while let byte = bytes.first, (48...57).contains(byte), (value ?? 0) < 10_000 {
                value = (value ?? 0) * 10 + Int(byte - 48)
                bytes.removeFirst()
            }
            return value
        }

        /// A name, of letters or between `<` and `>`.
        mutating func name() -> Bool {
            if consume("<") {
                while let byte = bytes.first, byte != UInt8(ascii: ">") { bytes.removeFirst() }
                return consume(">")
            }
            let letters = bytes.prefix { (65...90).contains($0) || (97...122).contains($0) }
            bytes.removeFirst(letters.count)
            return letters.count >= 3
        }

        /// Hours, perhaps with minutes and seconds and a sign, as seconds.
        mutating func time() -> Int64? {
            let isNegative = consume("-")
            if !isNegative { _ = consume("+") }
            guard let hours = number() else { return nil }
            var seconds = hours * 3600
            for unit in [60, 1] where consume(":") {
                guard let part = number() else { return nil }
                seconds += part * unit
            }
            return Int64(isNegative ? -seconds : seconds)
        }

        mutating func change() -> Change? {
            guard consume(","), let day = day() else { return nil }
            guard consume("/") else { return Change(day: day, time: 7200) }
            return time().map { Change(day: day, time: $0) }
        }

        private mutating func day() -> Day? {
            if consume("M") {
                guard let month = number(), (1...12).contains(month), consume("."),
                    let week = number(), (1...5).contains(week), consume("."),
                    let weekday = number(), (0...6).contains(weekday)
                else { return nil }
                return .week(month: month, week: week, weekday: weekday)
            }
            if consume("J") {
                return number().flatMap { (1...365).contains($0) ? .withoutLeapDay($0) : nil }
            }
            return number().flatMap { (0...365).contains($0) ? .counted($0) : nil }
        }
    }
}
