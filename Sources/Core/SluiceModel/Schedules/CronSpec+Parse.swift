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
