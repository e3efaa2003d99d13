package import SluiceModel

/// Pauses of apps, which end with their processes (D1).
extension Mutation {
    /// Pauses a queue, or the whole store, for as long as a process is attached.
    package func pause(
        _ name: String?, for process: ProcessID, by person: String, reason: String?
    ) throws {
        guard var record = try store.processes().first(where: { $0.id == process }) else {
            throw QueueError(
                .changed, "process \(process) is no longer attached", fix: "start the app again")
        }
        var pause = Pause(cause: .app, by: person, reason: reason, since: now)
        pause.owner = process
        if let name {
            let name = try queue(name).name
            try addPause(pause, to: name)
            if !record.pausedQueues.contains(name) { record.pausedQueues.append(name) }
        } else {
            pause.isOfStore = true
            try addStorePause(pause)
            record.pausesStore = true
        }
        try store.put(record)
        let why = reason.map { ": \($0)" } ?? ""
        try recordEvent(
            "pause", name, "\(name ?? "the store") paused by \(person) while it lives\(why)", person
        )
    }

    /// Ends what a process paused: a queue, or the whole store.
    package func endPause(of name: String?, for process: ProcessID, by person: String) throws {
        guard var record = try store.processes().first(where: { $0.id == process }) else { return }
        if let name {
            let name = try queue(name).name
            record.pausedQueues.removeAll { $0 == name }
        } else {
            record.pausesStore = false
        }
        try store.put(record)
        try lift(name, of: process, by: person, "resumed by \(person)")
    }

    /// Resumes the queues that a process paused for its own lifetime, after it detached or died.
    func endPauses(of process: ProcessID) throws {
        guard let record = try store.processes().first(where: { $0.id == process }) else { return }
        let places = record.pausedQueues.map(Optional.some) + (record.pausesStore ? [nil] : [])
        for place in places {
            try lift(place, of: process, by: "sluice", "resumes: the app that paused it has ended")
        }
    }

    private func lift(
        _ name: String?, of process: ProcessID, by person: String, _ what: String
    ) throws {
        if let name {
            guard let queue = try store.queue(named: name),
                queue.pauses.contains(where: { $0.owner == process })
            else { return }
            try changeQueue(queue.name) { $0.pauses.removeAll { $0.owner == process } }
        } else {
            var record = try store.storeRecord()
            guard record.pauses.contains(where: { $0.owner == process }) else { return }
            record.pauses.removeAll { $0.owner == process }
            record.version += 1
            try store.put(record)
        }
        try recordEvent("resume", name, "\(name ?? "the store") \(what)", person)
    }

    private func recordEvent(_ kind: String, _ queue: String?, _ text: String, _ person: String)
        throws
    {
        try store.append([
            JournalEvent(at: real, kind: kind, queue: queue, task: nil, by: person, text: text)
        ])
    }

    /// Adds a pause of the whole store. It stops the runs that people requested (D4).
    package func addStorePause(_ pause: Pause) throws {
        var record = try store.storeRecord()
        record.pauses = record.pauses.adding(pause, at: now, real: real)
        record.version += 1
        try store.put(record)
        guard pause.direction.stopsWork else { return }
        for queue in try store.queues() where queue.run?.limit != nil {
            try changeQueue(queue.name) { $0.run?.limit = nil }
        }
    }
}
