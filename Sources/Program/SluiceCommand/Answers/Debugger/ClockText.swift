import SluiceModel
import SluiceSystem

/// Moments as people at this machine read them.
enum ClockText {
    /// Date and time of the local zone: `2026-01-31 14:03:22`.
    static func moment(_ moment: Timestamp) -> String {
        let local = LocalTime(millisecondsSince1970: moment.milliseconds)
        let date = [local.month, local.day].map { TimeText.padded($0) }
        let time = [local.hour, local.minute, local.second].map { TimeText.padded($0) }
        return "\(TimeText.padded(local.year, 4))-\(date.joined(separator: "-")) "
            + time.joined(separator: ":")
    }

    /// The same with the time zone, for times that may have another zone elsewhere:
    /// `2026-01-31 14:03:22 UTC`, `2026-01-31 15:03:22 +01:00`.
    static func zoned(_ moment: Timestamp) -> String {
        let minutes = LocalTime(millisecondsSince1970: moment.milliseconds).utcOffsetSeconds / 60
        let hours = [abs(minutes) / 60, abs(minutes) % 60].map { TimeText.padded($0) }
        let zone = minutes == 0 ? "UTC" : (minutes < 0 ? "-" : "+") + hours.joined(separator: ":")
        return "\(self.moment(moment)) \(zone)"
    }

    /// `now`, `in 12s`, or how long ago.
    static func relative(_ moment: Timestamp, now: Timestamp) -> String {
        if moment > now { return "in \(DurationText.left(moment - now))" }
        return now - moment < 1000 ? "now" : "\(DurationText.short(now - moment)) ago"
    }

    /// How long ago, without a word around it.
    static func age(_ moment: Timestamp?, now: Timestamp) -> String {
        moment.map { DurationText.short(max(0, now - $0)) } ?? "-"
    }
}
