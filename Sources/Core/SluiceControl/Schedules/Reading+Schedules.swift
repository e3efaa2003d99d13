package import SluiceModel
import SluiceStore

/// A task that a schedule will make, as `forecast` shows it (N3).
package struct ForecastArrival: Hashable, Sendable {
    package var schedule: String
    /// The task's type.
    package var type: String
    /// When it is due.
    package var at: Timestamp
}

extension Reading {
    /// Every schedule, by name.
    package func schedules() throws -> [Schedule] { try store.storeRecord().schedules.all }

    /// The next task of each schedule of a queue, soonest first. If the forecast has more lines, it
    /// omits tasks after the last line.
    package func arrivals(
        in queue: String, beside forecast: (lines: [ForecastLine], more: Bool)
    ) throws -> [ForecastArrival] {
        let last = forecast.lines.compactMap(\.at).max()
        let end = forecast.more ? last ?? now : nil
        return try schedules().compactMap { schedule in
            guard schedule.queue == queue, !schedule.isPaused, let next = schedule.next,
                end.map({ next <= $0 }) ?? true
            else { return nil }
            return ForecastArrival(
                schedule: schedule.name, type: schedule.type, at: max(now, next))
        }.sorted { ($0.at, $0.schedule) < ($1.at, $1.schedule) }
    }
}

extension ScheduledMoment {
    /// Which schedule, and for when: `schedule nightly, for 2026-01-31T03:00:00.000Z`.
    package var sentence: String { "schedule \(schedule), for \(TimeText.rfc3339(at))" }
}
