package import SluiceModel

/// The clock of the store (G3).
extension Mutation {
    /// Sets the clock, nil for the real time; what follows in this commit goes by it.
    package func setClock(_ setting: ClockSetting?) throws {
        var record = try store.storeRecord()
        guard record.clock != setting else { return }
        record.clock = setting
        record.version += 1
        try store.put(record)
        followClock(record.time)
    }

    /// Clears all waits that are due by the clock, so that they do not return if the clock goes
    /// back.
    package func endPassedWaits() throws {
        while true {
            let due = try store.tasks(.timers(queue: nil, through: now), limit: 1000)
            guard !due.isEmpty else { break }
            try store.update(due.map { $0.awake(at: now) })
        }
        while try !store.tasks(.expiring(through: now), limit: 1).isEmpty {
            try expireTasks()
        }
        for name in try store.queues().map(\.name) {
            try changeQueue(name) { $0.pauses = $0.activePauses(at: now, real: real) }
        }
        var record = try store.storeRecord()
        let holding = record.pauses.filter { $0.isActive(at: now) }
        guard holding != record.pauses else { return }
        record.pauses = holding
        record.version += 1
        try store.put(record)
    }
}
