import Glibc

/// A moment as the calendar and clock of this machine's time zone show it.
package struct LocalTime: Equatable, Hashable, Sendable {
    /// The year, as in 2031.
    package let year: Int
    /// The month, 1 to 12.
    package let month: Int
    /// The day of the month, 1 to 31.
    package let day: Int
    /// The hour, 0 to 23.
    package let hour: Int
    /// The minute, 0 to 59.
    package let minute: Int
    /// The second, 0 to 60 (a leap second).
    package let second: Int
    /// The millisecond within the second, 0 to 999.
    package let millisecond: Int
    /// How many seconds local time was ahead of UTC at that moment.
    package let utcOffsetSeconds: Int

    /// Breaks a moment down by the zone that TZ or the machine names.
    package init(millisecondsSince1970: Int64) {
        let rest = millisecondsSince1970 % 1000
        var moment = time_t(millisecondsSince1970 / 1000 - (rest < 0 ? 1 : 0))
        var parts = tm()
        localtime_r(&moment, &parts)
        year = Int(parts.tm_year) + 1900
        month = Int(parts.tm_mon) + 1
        day = Int(parts.tm_mday)
        hour = Int(parts.tm_hour)
        minute = Int(parts.tm_min)
        second = Int(parts.tm_sec)
        millisecond = Int(rest < 0 ? rest + 1000 : rest)
        utcOffsetSeconds = Int(parts.tm_gmtoff)
    }
}
