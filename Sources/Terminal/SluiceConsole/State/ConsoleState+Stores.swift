import SluiceControl
import SluiceModel
import SluiceTerminalUI

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
