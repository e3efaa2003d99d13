import SluiceControl
import SluiceModel

/// View 7: the rate of the chosen queue, halved or doubled while it works (Q13).
extension ConsoleState {
    /// Whether the keys of a hundred events on a tape mean the rate.
    var changesRate: Bool { isInQueues && scene?.tape == nil }

    /// Whether the action changes the rate, and was done.
    mutating func performOnRate(_ id: Action.ID) -> Bool {
        guard changesRate, let line = selectedQueueLine,
            let rate = line.overview.queue.settings.rate?.changed(by: id)
        else { return false }
        start(.setQueue(line.name, [.rate(rate.text), .burst(rate.burst)]))
        return true
    }
}

extension DisabledReasons {
    /// Why the rate cannot be changed by a key; nil when it can.
    func rateReason(_ id: Action.ID) -> String? {
        if let reason = readOnlyReason ?? state.scene?.refusals[.setQueue] { return reason }
        if state.isOnAll { return reasonOnAll(id) }
        guard let line = state.selectedQueueLine else { return "no queue is selected" }
        guard let rate = line.overview.queue.settings.rate else {
            let command = ShellWord.command("queue set", line.name, " --rate 10/1m")
            return "\(line.name) has no rate: \(typed(command)) gives it one"
        }
        guard rate.changed(by: id) == nil else { return nil }
        return "\(rate.text) is the \(id == .muchEarlier ? "lowest" : "highest") rate that this "
            + "key gives: \(state.key(.setQueue)) sets another"
    }
}

extension Rate {
    fileprivate func changed(by id: Action.ID) -> Rate? {
        switch id {
        case .muchEarlier: halved
        case .muchLater: doubled
        default: nil
        }
    }
}
