import SluiceControl
import SluiceModel
import SluiceTerminalUI

/// The view and queue of a place that the person enters.
struct FleetEntry: Hashable, Sendable {
    var view: ConsoleView
    var queue: String?
    /// Whether the list is of all its queues.
    var isAll = false
    var focus = ConsoleState.Focus.view
    /// The token of its opening.
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

    /// Enters the place under the cursor, at its queue.
    mutating func enterPlace(_ view: ConsoleView) {
        guard let row = fleetRow,
            let place = scene?.fleet?.places.first(where: { $0.name == row.place })
        else { return }
        if let trouble = place.trouble(at: now) {
            message = .refusal("\(place.name): \(trouble)")
            return
        }
        var queue: String?
        if case .queue(_, let line, _) = row { queue = line.name }
        openPlace(place.name, FleetEntry(view: view, queue: queue))
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
        return "that is for one place: \(key(.detail)) goes into the place at the cursor"
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
