import SluiceControl
import SluiceModel

/// The conditions of queues that `--notify` reports.
struct AlertWatch: Hashable, Sendable {
    private var track = AlertTrack()
    /// When the store was last asked.
    private var askedAt: Timestamp?
    private var isAsking = false
    /// Whether a first answer came. Its conditions are no news: the screen shows them.
    private var isPrimed = false

    /// The time between two questions. Time alone makes a queue stuck, and no notice announces it.
    private static let restMilliseconds: Int64 = 5000

    /// When to ask next; `nil` before the first question, and until an answer comes.
    var next: Timestamp? { isAsking ? nil : askedAt.map { $0 + Self.restMilliseconds } }

    /// Whether to ask now. The answer goes to `update`.
    mutating func ask(at now: Timestamp) -> Bool {
        guard !isAsking else { return false }
        // The clock may have been set back.
        if let askedAt, (0..<Self.restMilliseconds).contains(now - askedAt) { return false }
        (isAsking, askedAt) = (true, now)
        return true
    }

    /// Drops the answer to the last question.
    mutating func dropAnswer() { isAsking = false }

    /// Applies the conditions that hold now; `nil` if they could not be read. Returns the news.
    mutating func update(_ found: [QueueAlert]?, at now: Timestamp) -> [QueueAlert] {
        isAsking = false
        guard let found else { return [] }
        let begun = track.update(found, at: now).begun
        defer { isPrimed = true }
        return isPrimed ? begun : []
    }
}

/// A bell and a notice of the desktop when a condition of any queue begins.
extension ConsoleState {
    mutating func askForAlerts() {
        guard settings.notifies, let scene, scene.tape == nil, alerts.ask(at: now) else { return }
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
        // It is about the former place.
        alerts.dropAnswer()
    }

    /// When to ask next.
    var nextAlerts: Timestamp? { settings.notifies ? alerts.next : nil }

    mutating func apply(_ found: [QueueAlert]?) {
        let begun = alerts.update(found, at: now)
        guard let first = begun.first else { return }
        let text = first.text + (begun.count == 1 ? "" : " · \(begun.count - 1) more")
        // An alert of a fleet names its place.
        send(.notify(isOfFleet ? text : "\(settings.storeName): \(text)"))
        if modal == nil { message = .note(text) }
    }
}
