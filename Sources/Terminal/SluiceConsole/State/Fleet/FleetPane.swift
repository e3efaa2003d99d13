import SluiceControl
import SluiceModel
import SluiceTerminalUI

/// The other places of a fleet in the pane of queues, above and below the place on the screen.
struct FleetPane: Hashable, Sendable {
    private(set) var above: [FleetRow] = []
    private(set) var below: [FleetRow] = []
    /// The rows for the queues of the place on the screen.
    private(set) var height = 1
    /// The lines from its first queue to the next place.
    private var ownLines = 1

    /// The narrowest screen whose pane has several places.
    static let narrowest = 110

    /// Shares the lines of the pane; nil where it has one place.
    init?(_ state: ConsoleState, in pane: Rect, isRoomy: Bool) {
        guard pane.width > 0, state.showsNeighbours, let fleet = state.scene?.fleet,
            let own = fleet.shown,
            fleet.places.indices.contains(own)
        else { return nil }
        let room = pane.height - (isRoomy ? 2 : 1)
        let count = max(1, state.scene?.queueCount ?? 0)
        let least = max(3, room / 2)
        // A heading, the queues, and a line that counts the others.
        let wanted = count <= least ? 1 + count : 2 + least
        let others = max(0, room - wanted)
        let neighbours = fleet.places.indices.filter { $0 != own }.map { fleet.places[$0] }
        var limit = FleetReading.queueLimit
        while limit > 0,
            neighbours.reduce(0, { $0 + FleetReading.rowCount(of: $1, limit: limit) }) > others
        { limit -= 1 }
        above = fleet.places[..<own].flatMap { FleetReading.rows(of: $0, limit: limit) }
        below = fleet.places[(own + 1)...].flatMap { FleetReading.rows(of: $0, limit: limit) }
        keepNearest(others)
        let left = room - above.count - below.count - 1
        height = max(1, count <= left ? count : left - 1)
        ownLines = count <= left ? count : left
    }

    /// Leaves out the rows that are far from the place on the screen.
    private mutating func keepNearest(_ room: Int) {
        guard above.count + below.count > room else { return }
        let before = min(above.count, max(room / 2, room - below.count))
        above = Array(above.suffix(before))
        below = Array(below.prefix(room - before))
    }

    /// The line of the first row below, with the place's first queue at line `y`.
    func belowY(_ y: Int) -> Int { y + ownLines }

    /// The row of another place at a line, with the first queue of the one on the screen at `y`.
    func row(at line: Int, firstQueue y: Int) -> FleetRow? {
        let (before, after) = (line - (y - 1 - above.count), line - belowY(y))
        if above.indices.contains(before) { return above[before] }
        return below.indices.contains(after) ? below[after] : nil
    }
}

extension ConsoleState {
    /// Whether the pane of queues has the other places too.
    var showsNeighbours: Bool {
        !settings.fleet.isEmpty && settings.storeKind != FleetReading.name && view != .fleet
            && showsPanes && size.width >= FleetPane.narrowest
    }

    /// Whether a place is on its way to the screen.
    private var isEntering: Bool {
        fleetEntry.map { underWay.sent[$0.token] != nil } ?? false
    }

    /// Goes from the first row of the place on the screen to the one before, or from its last
    /// queue to the one after; false where the step stays in the place.
    mutating func moveToNeighbour(_ step: Step) -> Bool {
        guard case .rows(let rows) = step, layout.fleetPane != nil, let scene,
            let fleet = scene.fleet, let own = fleet.shown
        else { return false }
        let place = queueCursor.wanted.cursor
        let isAtTop = scene.listsAll ? isAll : place == 0
        let isAtEnd = scene.queueCount == 0 || !isAll && place == scene.queueCount - 1
        guard rows < 0 ? isAtTop : isAtEnd else { return false }
        let others = rows < 0 ? fleet.places[..<own].reversed() : Array(fleet.places[(own + 1)...])
        // A place that does not answer cannot be entered.
        guard let next = others.first(where: { $0.trouble(at: now) == nil }) else { return false }
        guard !isEntering else { return true }
        let queues = next.summary?.queues ?? []
        let isWhole = queues.count == next.summary?.queueCount
        let listsAll = next.summary?.listsAll ?? true
        let queue = rows < 0 && isWhole ? queues.last : listsAll ? nil : queues.first
        enterNeighbour(next, queue: queue?.name)
        return true
    }

    /// Shows another place of the pane, at its queue or at all its queues.
    mutating func enterNeighbour(_ place: FleetPlace, queue: String?) {
        guard !isEntering else { return }
        if let trouble = place.trouble(at: now) {
            message = .refusal("\(place.name): \(trouble)")
            return
        }
        openPlace(
            place.name,
            FleetEntry(
                view: view, queue: queue,
                isAll: queue == nil && place.summary?.listsAll ?? true, focus: .queues))
    }

    /// Shows the place of a clicked row.
    mutating func click(_ row: FleetRow) {
        guard let place = scene?.fleet?.places.first(where: { $0.name == row.place }) else {
            return
        }
        var queue: String?
        if case .queue(_, let line, _) = row { queue = line.name }
        enterNeighbour(place, queue: queue)
    }
}
