import SluiceControl
import SluiceModel

/// The conditions of queues that `--notify` reports.
struct AlertWatch: Hashable, Sendable {
    fileprivate(set) var track = AlertTrack()
    /// When the store was last asked.
    fileprivate(set) var askedAt: Timestamp?
    fileprivate(set) var isAsking = false
    /// Whether a first answer came. Its conditions are no news: the screen shows them.
    fileprivate(set) var isPrimed = false

    /// The time between two questions. Time alone makes a queue stuck, and no notice announces it.
    static let restMilliseconds: Int64 = 5000
}

/// A bell and a notice of the desktop when a condition of any queue begins.
extension ConsoleState {
    mutating func askForAlerts() {
        guard settings.notifies, let scene, scene.tape == nil, !alerts.isAsking else { return }
        // The clock may have been set back.
        if let asked = alerts.askedAt, (0..<AlertWatch.restMilliseconds).contains(now - asked) {
            return
        }
        alerts.isAsking = true
        alerts.askedAt = now
        send(.readAlerts)
    }

    /// Whether the screen is of a fleet's places or of one of them. Alerts are of all places then.
    private var isOfFleet: Bool {
        settings.storeKind == FleetReading.name || settings.fleet.contains(settings.storeName)
    }

    /// Keeps the reported alerts of a fleet when a person opens another place.
    mutating func keepAlerts(of former: ConsoleState) {
        guard isOfFleet, former.isOfFleet else { return }
        alerts = former.alerts
        // An answer about the former place is dropped.
        alerts.isAsking = false
    }

    /// When to ask next.
    var nextAlerts: Timestamp? {
        guard settings.notifies, !alerts.isAsking else { return nil }
        return alerts.askedAt.map { $0 + AlertWatch.restMilliseconds }
    }

    /// Applies the conditions that hold now; `nil` if they could not be read.
    mutating func apply(_ found: [QueueAlert]?) {
        alerts.isAsking = false
        guard let found else { return }
        let begun = alerts.track.update(found, at: now).begun
        guard alerts.isPrimed else {
            alerts.isPrimed = true
            return
        }
        guard let first = begun.first else { return }
        let text = first.text + (begun.count == 1 ? "" : " · \(begun.count - 1) more")
        // An alert of a fleet names its place.
        send(.notify(isOfFleet ? text : "\(settings.storeName): \(text)"))
        if modal == nil { message = .note(text) }
    }
}
