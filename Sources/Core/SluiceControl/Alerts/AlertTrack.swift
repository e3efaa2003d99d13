package import SluiceModel

/// The conditions that were reported and still hold.
///
/// A condition that comes and goes within a minute is one alert.
package struct AlertTrack: Hashable, Sendable {
    private var seen: [QueueAlert.Subject: Timestamp] = [:]
    /// The time without a condition after which it has ended.
    package static let restMilliseconds: Int64 = 60_000

    /// Nothing was reported.
    package init() {}

    /// Takes the conditions of a moment. Returns the new ones and the ended ones.
    package mutating func update(
        _ alerts: [QueueAlert], at now: Timestamp
    ) -> (begun: [QueueAlert], ended: [QueueAlert.Subject]) {
        let begun = alerts.filter { seen[$0.subject] == nil }
        // The clock may have been set back.
        seen = seen.mapValues { min($0, now) }
        for alert in alerts { seen[alert.subject] = now }
        let ended = seen.filter { now - $0.value >= Self.restMilliseconds }.map(\.key)
        for subject in ended { seen[subject] = nil }
        return (begun, ended.sorted { ($0.queue, $0.kind.rawValue) < ($1.queue, $1.kind.rawValue) })
    }
}
