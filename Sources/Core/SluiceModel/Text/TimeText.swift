/// Times as commands and JSON spell them: RFC 3339, in UTC with milliseconds when written.
package enum TimeText {
    /// The calendar fields of a date and time.
    package struct Parts: Hashable, Sendable {
        /// The calendar's fields, month and day from 1.
        package var year, month, day, hour, minute, second, millisecond: Int
    }

    /// The fields of a moment in UTC.
    package static func parts(_ moment: Timestamp) -> Parts {
        let days = floorDivide(moment.milliseconds, 86_400_000)
        let rest = moment.milliseconds &- days &* 86_400_000
        let (year, month, day) = civil(days)
        return Parts(
            year: year, month: month, day: day, hour: Int(rest / 3_600_000),
            minute: Int(rest / 60_000 % 60), second: Int(rest / 1000 % 60),
            millisecond: Int(rest % 1000))
    }

    /// `2026-01-31T14:03:22.123Z`; a year of more than four digits has a sign and at least six
    /// (ISO 8601), so that every moment can be read again.
    package static func rfc3339(_ moment: Timestamp) -> String {
        let field = parts(moment)
        let year =
            (0...9999).contains(field.year)
            ? padded(field.year, 4)
            : (field.year < 0 ? "-" : "+") + padded(abs(field.year), 6)
        return "\(year)-\(padded(field.month))-\(padded(field.day))T"
            + "\(padded(field.hour)):\(padded(field.minute)):\(padded(field.second))"
            + ".\(padded(field.millisecond, 3))Z"
    }

    /// A time as a command takes it: RFC 3339, `now`, or a duration from now (`+5m`, `2h`).
    package static func moment(_ text: String, now: Timestamp) -> Timestamp? {
        if text == "now" { return now }
        let duration = text.hasPrefix("+") ? String(text.dropFirst()) : text
        if let wait = DurationText.milliseconds(duration) { return now + wait }
        return rfc3339(text)
    }

    /// Reads RFC 3339 with a zone (`Z`, `+02:00`) and an optional fraction, also with a year of a
    /// sign and six digits or more; nil for anything else.
    package static func rfc3339(_ text: String) -> Timestamp? {
        var bytes = Array(text.utf8)
        var longYear: Int?
        if let sign = bytes.first, sign == 43 || sign == 45 {
            let digits = bytes.dropFirst().prefix { (48...57).contains($0) }
            guard (6...9).contains(digits.count), let year = number(bytes, 1, digits.count)
            else { return nil }
            longYear = sign == 45 ? -year : year
            // Replace the year by one with the same length of February.
            let stand = isLeap(year) ? "2000" : "2001"
            bytes = Array(stand.utf8) + bytes.dropFirst(1 + digits.count)
        }
        guard bytes.count >= 20, bytes[4] == 45, bytes[7] == 45, bytes[13] == 58, bytes[16] == 58,
            [84, 116, 32].contains(bytes[10]), let year = number(bytes, 0, 4),
            let month = number(bytes, 5, 2), let day = number(bytes, 8, 2),
            let hour = number(bytes, 11, 2), let minute = number(bytes, 14, 2),
            let second = number(bytes, 17, 2), (1...12).contains(month),
            (1...daysIn(month: month, year: year)).contains(day), hour < 24, minute < 60,
            second < 61
        else { return nil }
        var index = 19
        var fraction: Int64 = 0
        if bytes[index] == 46 {
            index += 1
            var scale: Int64 = 100
            let start = index
            while index < bytes.count, (48...57).contains(bytes[index]) {
                fraction += Int64(bytes[index] - 48) * scale
                scale /= 10
                index += 1
            }
            guard index > start else { return nil }
        }
        guard let offset = offsetMinutes(bytes, index) else { return nil }
        let seconds = Int64(hour * 3600 + minute * 60 + second - offset * 60)
        // The first day of all begins before the first moment.
        let start = Int128(days(longYear ?? year, month, day)) * 86_400_000
        return Int64(exactly: start + Int128(seconds * 1000 + fraction))
            .map { Timestamp(milliseconds: $0) }
    }

    private static func offsetMinutes(_ bytes: [UInt8], _ index: Int) -> Int? {
        guard index < bytes.count else { return nil }
        if bytes[index] == 90 || bytes[index] == 122 { return index + 1 == bytes.count ? 0 : nil }
        guard bytes[index] == 43 || bytes[index] == 45, bytes.count == index + 6,
            bytes[index + 3] == 58, let hours = number(bytes, index + 1, 2),
            let minutes = number(bytes, index + 4, 2), hours < 24, minutes < 60
        else { return nil }
        return (bytes[index] == 43 ? 1 : -1) * (hours * 60 + minutes)
    }

    private static func number(_ bytes: [UInt8], _ start: Int, _ count: Int) -> Int? {
        var value = 0
        for byte in bytes[start..<(start + count)] {
            guard (48...57).contains(byte) else { return nil }
            value = value * 10 + Int(byte - 48)
        }
        return value
    }

    /// A number with zeros before it, at least `width` digits.
    package static func padded(_ number: Int, _ width: Int = 2) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }

    static func floorDivide(_ value: Int64, _ by: Int64) -> Int64 {
        let quotient = value / by
        return value % by < 0 ? quotient - 1 : quotient
    }

    private static func isLeap(_ year: Int) -> Bool {
        year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    }

    static func daysIn(month: Int, year: Int) -> Int {
        month == 2 ? (isLeap(year) ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
    }

    /// Days since 1970-01-01 of a date of the Gregorian calendar, in eras of 400 years that begin
    /// in March.
    static func days(_ year: Int, _ month: Int, _ day: Int) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let era = Int(floorDivide(Int64(shifted), 400))
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return Int64(era * 146_097 + dayOfEra - 719_468)
    }

    static func civil(_ days: Int64) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = floorDivide(shifted, 146_097)
        let dayOfEra = Int(shifted - era * 146_097)
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + Int(era) * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }
}
