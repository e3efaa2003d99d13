package import SluiceControl
package import SluiceModel
import SluiceStore
import SluiceTerminalUI

/// The places of a fleet, in the order in which the person named them.
package struct FleetReading: Hashable, Sendable {
    /// The kind and the name of a fleet, where a store has its own.
    package static let name = "fleet"
    package var places: [FleetPlace]
    /// The index of the place on the screen; nil where the screen shows all.
    package var shown: Int?
    /// Whether the rows have all conditions.
    var showsAllAlerts = false

    package init(places: [FleetPlace], shown: Int? = nil) {
        (self.places, self.shown) = (places, shown)
    }
}

/// A place of a fleet, as it answered last.
package struct FleetPlace: Hashable, Sendable {
    package enum State: Hashable, Sendable {
        /// A question is under way.
        case asked(since: Timestamp)
        /// The last question was answered.
        case here
        /// The last question failed. The next one comes at a time.
        case away(QueueError, since: Timestamp, next: Timestamp)
    }
    /// The counts and queues of a place.
    package struct Summary: Hashable, Sendable {
        var queues: [QueueLine]
        var queueCount: Int
        var counts: QueueCounts
        var isEstimated: Bool
        var isBounded: Bool
        var workerCount: Int
        var workers: Workers
        /// Whether it has a list of all its queues.
        var listsAll: Bool

        package var alerts: [QueueAlert] { queues.flatMap(\.alerts) }

        /// The facts of a place's own scene.
        package init(_ scene: LoadedScene) {
            (queues, queueCount) = (scene.queues, scene.queueCount)
            (counts, isEstimated, isBounded) = (scene.counts, scene.estimated, scene.isBounded)
            (workerCount, workers) = (scene.runners.count, scene.workers)
            listsAll = scene.listsAll
        }
    }
    /// The name that the person gave, without a password.
    package var name: String
    package var state: State
    /// The kind of store, once it was open.
    package var kind: String?
    /// The last known facts.
    package var summary: Summary?

    /// A place before its first answer.
    package init(name: String, since: Timestamp) {
        (self.name, state) = (name, .asked(since: since))
    }

    /// The time without an answer after which a place counts as silent.
    package static let patienceMilliseconds: Int64 = 3000

    /// Whether it does not answer. A place that is being opened may.
    func isAway(at now: Timestamp) -> Bool {
        switch state {
        case .here: false
        case .asked(let since): now - since >= Self.patienceMilliseconds
        case .away: true
        }
    }

    /// The reason why the place cannot be entered now, or nil.
    package func trouble(at now: Timestamp) -> String? {
        switch state {
        case .here: nil
        case .asked(let since):
            if now - since >= Self.patienceMilliseconds {
                "no answer for \(DurationText.seconds((now - since) / 1000))"
            } else {
                summary == nil ? "it is being opened" : nil
            }
        case .away(let error, _, let next):
            "\(error.message.withoutPrefix("\(name): ")); asked again "
                + (next > now ? "in \(DurationText.left(next - now))" : "now")
        }
    }
}

/// The facts that all places can report: their sums, and the conditions of their queues.
struct FleetTotals: Hashable, Sendable {
    /// A condition, and the name of its place.
    struct Alert: Hashable, Sendable {
        var place: String
        var alert: QueueAlert
    }
    private(set) var placeCount = 0
    private(set) var queueCount = 0
    private(set) var counts = QueueCounts()
    private(set) var held = 0
    private(set) var oldest: Timestamp?
    /// The conditions at places that answer.
    private(set) var alerts: [Alert] = []
    /// Whether some numbers are estimates, or of a place that was away since.
    private(set) var isAbout = false
    /// Whether some numbers are lower bounds.
    private(set) var isBounded = false
    /// Whether a place has not answered yet, so that there may be more of everything.
    private(set) var isPartial = false

    init(_ places: [FleetPlace]) {
        placeCount = places.count
        for place in places {
            guard let summary = place.summary else {
                isPartial = true
                continue
            }
            queueCount += summary.queueCount
            counts.states.merge(summary.counts.states, uniquingKeysWith: +)
            held += summary.held
            oldest = [oldest, summary.oldest].compactMap(\.self).min()
            isAbout = isAbout || summary.isEstimated
            isBounded = isBounded || summary.isBounded
            if case .away = place.state {
                isAbout = true
            } else {
                alerts += summary.alerts.map { Alert(place: place.name, alert: $0) }
            }
        }
    }

    /// The tasks that have not ended.
    var taskCount: Int { counts[.running] + counts[.waiting] + counts[.failed] }
}

/// A path as short as it differs from others.
enum PlaceName {
    /// The last part of a path, of an SDK's folder `queue` its parent too, and more where others
    /// end alike. An address stays whole.
    static func short(_ name: String, among others: [String]) -> String {
        guard name.contains("/"), !name.contains("://") else { return name }
        let parts = name.split(separator: "/")
        func end(_ parts: [Substring], _ count: Int) -> String {
            parts.suffix(count).joined(separator: "/")
        }
        let rivals = others.filter { $0 != name }.map { $0.split(separator: "/") }
        var count = parts.last == "queue" ? 2 : 1
        while count < parts.count,
            rivals.contains(where: { end($0, count) == end(parts, count) })
        {
            count += 1
        }
        return end(parts, count)
    }
}

extension String {
    /// The text after a beginning, which the place names already.
    fileprivate func withoutPrefix(_ prefix: String) -> String {
        hasPrefix(prefix) ? String(dropFirst(prefix.count)) : self
    }
}

/// A row of the fleet: all places, their conditions, a place, a queue below it, or the number of
/// queues that are left out.
enum FleetRow: Hashable, Sendable {
    /// All places, with their sums where they were asked.
    case all(FleetTotals?)
    case alert(place: String, QueueAlert)
    case moreAlerts(count: Int)
    case place(FleetPlace)
    case queue(place: String, QueueLine, isAway: Bool)
    case rest(place: String, count: Int)

    /// The name of its place; nil where it is of all places.
    var place: String? {
        switch self {
        case .all, .moreAlerts: nil
        case .place(let place): place.name
        case .alert(let place, _), .queue(let place, _, _), .rest(let place, _): place
        }
    }

    var queue: String? {
        switch self {
        case .queue(_, let line, _): line.name
        case .alert(_, let alert): alert.subject.queue
        case .all, .moreAlerts, .place, .rest: nil
        }
    }

    var key: RowKey {
        switch self {
        case .all: .allPlaces
        case .alert(let place, let alert): .placeAlert(place, alert.subject)
        case .moreAlerts: .moreAlerts
        case .place(let place): .place(place.name, queue: nil)
        case .queue(let place, let line, _): .place(place, queue: line.name)
        case .rest(let place, _): .placeRest(place)
        }
    }
}

extension FleetReading {
    /// The rows of queues below a place.
    static let queueLimit = 20

    /// The rows of conditions before a person wants all of them.
    static let alertLimit = 3

    /// All places and their conditions, then each place with its queues. A place with too many
    /// shows the ones in trouble first.
    var rows: [FleetRow] {
        let totals = FleetTotals(places)
        return [.all(totals)] + alertRows(totals) + places.flatMap { Self.rows(of: $0) }
    }

    private func alertRows(_ totals: FleetTotals) -> [FleetRow] {
        let rows = totals.alerts.map { FleetRow.alert(place: $0.place, $0.alert) }
        guard !showsAllAlerts, rows.count > Self.alertLimit else { return rows }
        let shown = Self.alertLimit - 1
        return rows.prefix(shown) + [.moreAlerts(count: rows.count - shown)]
    }

    /// A place with at most `limit` queues; without a limit of at least one its heading alone.
    static func rows(of place: FleetPlace, limit: Int = queueLimit) -> [FleetRow] {
        guard let summary = place.summary, limit > 0 else { return [.place(place)] }
        let isAway = if case .away = place.state { true } else { false }
        var lines = summary.queues
        if lines.count > limit {
            let troubled = lines.filter { QueueLook($0).role == .failed }
            lines = Array((troubled + lines.filter { QueueLook($0).role != .failed })[..<limit])
        }
        let rest = summary.queueCount - lines.count
        return [.place(place)]
            + lines.map { .queue(place: place.name, $0, isAway: isAway) }
            + (rest > 0 ? [.rest(place: place.name, count: rest)] : [])
    }

    static func rowCount(of place: FleetPlace, limit: Int) -> Int {
        guard let summary = place.summary, limit > 0 else { return 1 }
        let lines = min(summary.queues.count, limit)
        return 1 + lines + (summary.queueCount > lines ? 1 : 0)
    }
}

extension LoadedScene {
    /// The scene of a fleet, which has no tasks.
    package init(fleet: FleetReading, answering request: LoadRequest, at now: Timestamp) {
        self.init(request: request, at: now)
        self.fleet = fleet
        self.fleet?.showsAllAlerts = request.folds[FleetReading.name] ?? false
        workers = .unasked
        listsAll = false
    }
}
