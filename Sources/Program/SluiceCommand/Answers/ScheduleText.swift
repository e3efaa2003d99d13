import SluiceControl
import SluiceModel

/// Schedules as `--json` says them.
enum ScheduleJSON {
    /// Several, in their order.
    static func object(_ schedules: [Schedule]) -> JSONObject {
        ["schedules": .array(schedules.map(value))]
    }

    private static func value(_ schedule: Schedule) -> JSONValue {
        [
            "name": .string(schedule.name),
            "spec": .string(schedule.spec.text),
            "timeZone": .string(schedule.timeZone),
            "queue": .string(schedule.queue),
            "type": .string(schedule.type),
            "next": JSONValue(schedule.isPaused ? nil : schedule.next),
            "last": JSONValue(schedule.last),
            "missed": .string(schedule.missed.rawValue),
            "paused": .bool(schedule.isPaused),
        ]
    }

    /// A task that is to come.
    static func value(_ arrival: ForecastArrival) -> JSONValue {
        [
            "name": .string(arrival.schedule), "type": .string(arrival.type),
            "at": JSONValue(arrival.at),
        ]
    }

    /// The schedule that made a task; null for another one.
    static func value(_ scheduled: ScheduledMoment?) -> JSONValue {
        guard let scheduled else { return .null }
        return ["name": .string(scheduled.schedule), "at": JSONValue(scheduled.at)]
    }
}

enum ScheduleText {
    static func lines(_ schedules: [Schedule], now: Timestamp, width: Int?) -> [String] {
        guard !schedules.isEmpty else {
            return ["no schedule: sluice schedule set nightly '0 3 * * *' reports report makes one"]
        }
        return TextTable<Schedule>([
            .words("NAME", limit: 40) { $0.name },
            .words("SPEC") { $0.when },
            .words("QUEUE", limit: 40) { $0.queue },
            .words("TYPE", limit: 30) { $0.type },
            .words("NEXT") { next($0, now: now) },
            .words("LAST") { $0.last.map(ClockText.zoned) ?? "never" },
            .whole("MISSED") { $0.missed.rawValue },
        ]).lines(schedules, width)
    }

    /// A task that is to come.
    static func line(_ arrival: ForecastArrival, now: Timestamp) -> String {
        SafeText.visible(
            "\(ClockText.relative(arrival.at, now: now)) schedule \(arrival.schedule) adds "
                + arrival.type)
    }

    /// When the next task comes, in words.
    static func next(_ schedule: Schedule, now: Timestamp) -> String {
        guard !schedule.isPaused else { return "paused" }
        guard let next = schedule.next else { return "never" }
        guard next > now else { return "due, no worker is attached" }
        return "\(ClockText.zoned(next)), \(ClockText.relative(next, now: now))"
    }
}
