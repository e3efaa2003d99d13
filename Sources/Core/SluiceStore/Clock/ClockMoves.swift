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

/// Stored times later than their rules allow, because the clock was ahead when they were computed.
/// Until these times nothing happens automatically.
package struct BeyondRule: Sendable {
    /// The schedules that make no task until then.
    package var schedules: [Schedule] = []
    /// The pauses that last until then, each with its queue; nil for one of the whole store.
    package var pauses: [(queue: String?, pause: Pause)] = []

    package var isEmpty: Bool { schedules.isEmpty && pauses.isEmpty }

    /// One sentence for each, with the command that fixes it.
    package var sentences: [String] {
        schedules.map { schedule in
            let time = schedule.next.map(TimeText.rfc3339) ?? ""
            return "schedule \(schedule.name) makes no task until \(time), which is beyond what "
                + "its rule (\(schedule.spec.text)) can give: the clock was ahead; sluice "
                + "\(ShellWord.command("schedule resume", schedule.name)) counts it anew"
        }
            + pauses.map { queue, pause in
                let time = pause.until.map(TimeText.rfc3339) ?? ""
                let what = queue.map { "the pause of \($0)" } ?? "the pause of the store"
                let command = queue.map { ShellWord.command("resume", $0) } ?? "resume --all"
                return "\(what) by \(pause.by) lasts until \(time), since the clock was ahead when "
                    + "it began; sluice \(command) ends it"
            }
    }
}

extension StoreReader {
    /// The schedules and pauses that wait for a time beyond their rule, by the clock of the store.
    package func beyondRule(at now: Timestamp) throws -> BeyondRule {
        let record = try storeRecord()
        var found = BeyondRule()
        found.schedules = record.schedules.all.filter { schedule in
            guard !schedule.isPaused, let zone = try? ZoneFiles.rules(of: schedule.timeZone) else {
                return false
            }
            return schedule.isBeyondRule(at: now, in: zone)
        }
        found.pauses = record.pauses.filter { $0.isBeyondRule(at: now) }.map { (nil, $0) }
        for queue in try queues(.withMoments).map(\.record) {
            found.pauses += try queue.pauses.filter { $0.isBeyondRule(at: now) }
                .map { (queue.name, try named($0)) }
        }
        return found
    }
}

extension Mutation {
    /// Lets the pauses that last beyond their rule last from now on, each as long as it was to.
    package func shortenPauses() throws -> Int {
        var count = 0
        func shortened(_ pause: Pause) -> Pause {
            guard pause.isBeyondRule(at: now), let until = pause.until else { return pause }
            var pause = pause
            (pause.until, pause.since) = (now + (until - pause.since), now)
            count += 1
            return pause
        }
        for (name, _) in try store.beyondRule(at: now).pauses {
            if let name {
                try changeQueue(name) { $0.pauses = $0.pauses.map(shortened) }
            } else {
                var record = try store.storeRecord()
                record.pauses = record.pauses.map(shortened)
                record.version += 1
                try store.put(record)
            }
        }
        guard count > 0 else { return 0 }
        try store.append([
            JournalEvent(
                at: real, kind: "pause", queue: nil, task: nil, by: "sluice",
                text: "\(count) pauses that were set while the clock was ahead last as long as "
                    + "they were to, from now on")
        ])
        return count
    }
}
