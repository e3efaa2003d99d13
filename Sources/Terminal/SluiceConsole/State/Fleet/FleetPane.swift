import SluiceControl
import SluiceModel
import SluiceTerminalUI

/// The row for all places of a fleet in the pane of queues, and on a wide screen the other places,
/// above and below the place on the screen.
struct FleetPane: Hashable, Sendable {
    private(set) var above: [FleetRow] = []
    private(set) var below: [FleetRow] = []
    /// The rows for the queues of the place on the screen.
    private(set) var height = 1
    /// The lines from its first queue to the next place.
    private var ownLines = 1

    /// Whether it shows the other places.
    private(set) var hasNeighbours = false

    /// The narrowest screen whose pane has several places.
    static let narrowest = 110

    /// Shares the lines of the pane; nil where the console has one place.
    init?(_ state: ConsoleState, in pane: Rect, isRoomy: Bool) {
        guard pane.width > 0, state.isInPlace else { return nil }
        guard state.showsNeighbours, let scene = state.scene, var fleet = scene.fleet,
            let own = fleet.shown, fleet.places.indices.contains(own)
        else {
            above = [.all(nil)]
            return
        }
        hasNeighbours = true
        // The place on the screen reads itself.
        (fleet.places[own].summary, fleet.places[own].state) = (FleetPlace.Summary(scene), .here)
        share(pane.height - (isRoomy ? 2 : 1) - 1, fleet, own: own, queues: scene.queueCount)
        above = [.all(FleetTotals(fleet.places))] + above
    }

    /// Shares the lines below the row for all places.
    private mutating func share(_ room: Int, _ fleet: FleetReading, own: Int, queues: Int) {
        let count = max(1, queues)
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
    /// Whether the screen is of one place of several.
    var isInPlace: Bool {
        !settings.fleet.isEmpty && settings.storeKind != FleetReading.name && view != .fleet
    }

    /// Whether the pane of queues has the other places too.
    var showsNeighbours: Bool {
        isInPlace && showsPanes && size.width >= FleetPane.narrowest
    }

    /// Whether a place is on its way to the screen.
    private var isEntering: Bool {
        fleetEntry.map { underWay.sent[$0.token] != nil } ?? false
    }

    /// Goes from the first row of the place on the screen to the place before it or to the row for
    /// all, or from its last queue to the next place; false if the step stays in the place.
    mutating func moveToNeighbour(_ step: Step) -> Bool {
        guard case .rows(let rows) = step, layout.fleetPane != nil, let scene else { return false }
        let place = queueCursor.wanted.cursor
        let isAtTop = scene.queueCount == 0 || (scene.listsAll ? isAll : place == 0)
        let isAtEnd = scene.queueCount == 0 || !isAll && place == scene.queueCount - 1
        guard rows < 0 ? isAtTop : isAtEnd else { return false }
        let (places, own) = (scene.fleet?.places ?? [], scene.fleet?.shown ?? 0)
        let others = rows < 0 ? places.prefix(own).reversed() : Array(places.dropFirst(own + 1))
        // A place that does not answer cannot be entered.
        guard let next = others.first(where: { $0.trouble(at: now) == nil }) else {
            if rows < 0 { showAllPlaces() }
            return rows < 0
        }
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

    /// Goes to the row for all places, which the screen of places begins with.
    mutating func showAllPlaces() {
        guard !isEntering else { return }
        openPlace(FleetReading.name, FleetEntry(view: .fleet, isAll: true))
    }

    /// Shows the place of a clicked row, or all places.
    mutating func click(_ row: FleetRow) {
        guard row.place != nil else { return showAllPlaces() }
        guard let place = scene?.fleet?.places.first(where: { $0.name == row.place }) else {
            return
        }
        enterNeighbour(place, queue: row.queue)
    }
}

/// The view and queue of a place that the person enters.
struct FleetEntry: Hashable, Sendable {
    var view: ConsoleView
    var queue: String?
    /// Whether the list is of all its queues.
    var isAll = false
    var focus = ConsoleState.Focus.view
    var token = 0
}

/// The screen of several places, and the way into one and back.
extension ConsoleState {
    /// Whether the screen is about the places, without a page over it.
    var isInFleet: Bool { view == .fleet && page == nil }

    /// Whether the newest lines of a journal have room. Several places have no common one.
    var showsActivity: Bool { showsPanes && view != .fleet }

    /// The row under the cursor.
    var fleetRow: FleetRow? {
        guard view == .fleet, let key = cursors[.fleet]?.key else { return nil }
        return scene?.fleet?.rows.first { $0.key == key }
    }

    /// Goes back to the places.
    mutating func showFleet() {
        guard !settings.fleet.isEmpty else {
            message = .refusal("one place is open; sluice PLACE PLACE… opens several")
            return
        }
        guard view != .fleet else { return }
        openPlace(FleetReading.name, FleetEntry(view: .fleet))
    }

    /// Enters the place under the cursor. On the row for all, shows more conditions or fewer.
    mutating func openFleetRow() {
        guard let row = fleetRow, row.place == nil else { return enterPlace(.inventory) }
        guard let count = alertCount, count > FleetReading.alertLimit else {
            message = .note(
                alertCount == 0 ? "no place reports a condition" : "these are all conditions")
            return
        }
        folds[FleetReading.name] = !(scene?.fleet?.showsAllAlerts ?? false)
        reads.isStale = true
    }

    /// The number of conditions at the places; nil before an answer.
    var alertCount: Int? { scene?.fleet.map { FleetTotals($0.places).alerts.count } }

    /// Enters the place under the cursor, at its queue.
    mutating func enterPlace(_ view: ConsoleView) {
        guard let row = fleetRow else { return }
        guard let place = scene?.fleet?.places.first(where: { $0.name == row.place }) else {
            message = .refusal(ofOnePlace(at: row))
            return
        }
        if let trouble = place.trouble(at: now) {
            message = .refusal("\(place.name): \(trouble)")
            return
        }
        openPlace(place.name, FleetEntry(view: view, queue: row.queue))
    }

    private func ofOnePlace(at row: FleetRow?) -> String {
        guard row?.place == nil else {
            return "that is for one place: \(key(.detail)) goes into the place at the cursor"
        }
        return "that is for one place: \(key(.down)) goes down to the places"
    }

    mutating func openPlace(_ name: String, _ entry: FleetEntry) {
        do throws(QueueError) {
            try openStore(named: name, command: "open \(ShellWord.quoted(name))")
            fleetEntry = entry
            fleetEntry?.token = underWay.lastToken
        } catch {
            message = .refusal(error.description)
        }
    }

    /// Shows what the person wanted to see, in a place that is open now. `former` is the state
    /// before.
    mutating func arriveInFleet(from former: ConsoleState) {
        cursors[.fleet] = former.cursors[.fleet]
        keepAlerts(of: former)
        guard settings.storeKind != FleetReading.name else {
            (view, focus) = (.fleet, .view)
            if former.fleetEntry?.isAll ?? false { cursors[.fleet] = RowCursor(key: .allPlaces) }
            message = nil
            return
        }
        if view == .fleet { view = former.fleetEntry?.view ?? .inventory }
        let entry = former.fleetEntry
        if let queue = entry?.queue { (selectedQueue, isAll) = (queue, false) }
        if entry?.isAll ?? false { isAll = true }
        guard !settings.fleet.isEmpty else { return }
        guard entry?.focus != .queues else {
            (focus, message) = (.queues, nil)
            return
        }
        message = .note("\(settings.storeName) is open; 0 goes back to all places")
    }

    /// Why an action cannot be done among the places; nil if it can.
    func fleetReason(_ id: Action.ID, _ subject: Action.Subject) -> String? {
        guard isInFleet, subject != .program, !Self.ofFleet.contains(id) else { return nil }
        return ofOnePlace(at: fleetRow)
    }

    private static let ofFleet: Set<Action.ID> = [
        .down, .up, .left, .right, .top, .end, .freeze, .timeFormat,
    ]
}

/// Going from one store to another (`:open PATH`).
extension ConsoleState {
    /// The person's place in a store shown earlier.
    struct StorePlace: Hashable, Sendable {
        var queue: String?
        var isAll: Bool
        var tape: TapeGoal
    }

    /// Requests another store. Throws if the line is invalid.
    mutating func openStore(_ line: String) throws(QueueError) {
        let words = ShellLine(line).all
        guard words.count == 2 else {
            throw QueueError(.badValue, "open takes one store", fix: "write open PATH")
        }
        try openStore(named: words[1], command: line)
    }

    mutating func openStore(named name: String, command: String) throws(QueueError) {
        guard underWay.bulk == nil else {
            throw QueueError(
                .notLegal, "tasks of this store are being changed", fix: "Esc stops that first")
        }
        (modal, fleetEntry) = (nil, nil)
        let token = trackVerb(nil, command: command)
        send(.open(name, token: token))
    }

    /// The most recent other store.
    var otherStore: String? { settings.recentStores.first { $0 != settings.storeName } }

    /// Goes to that store; the same key returns.
    mutating func openOtherStore() {
        guard let name = otherStore else { return }
        do throws(QueueError) {
            try openStore(named: name, command: "open \(ShellWord.quoted(name))")
        } catch {
            message = .refusal(error.description)
        }
    }

    /// Begins anew on a store that the person wanted.
    mutating func showStore(_ name: String, kind: String, isReadOnly: Bool) {
        let (state, former) = (self, settings.storeName)
        places[former] = StorePlace(queue: selectedQueue, isAll: isAll, tape: tapeGoal)
        settings.recentStores =
            [name, former] + settings.recentStores.filter { $0 != name && $0 != former }
        settings.storeName = name
        settings.isReadOnly = isReadOnly
        settings.openingHint = nil
        settings.storePlace = nil
        reopen(kind: kind, isSame: false)
        if let place = places[name] {
            (selectedQueue, isAll, tapeGoal) = (place.queue, place.isAll, place.tape)
        }
        allowedStores = state.allowedStores
        message = .note("\(name) is open; \(key(.otherStore)) goes back")
        arriveInFleet(from: state)
    }
}
