package import SluiceModel

/// Edits in progress. The process of the editor stores each one. An edit ends on completion, on
/// timeout, or with the process (B11, A2).
extension Mutation {
    /// Hides a waiting task from runners during an edit; `instant` is the machine's monotonic clock
    /// in milliseconds. Does nothing for a task in another state. First ends other edits of the
    /// same process or task.
    package func beginEdit(
        _ task: QueueTask, by person: String, owner: ProcessID, instant: Int64
    ) throws {
        guard task.waiting != nil else { return }
        for other in try store.processes() {
            guard let lease = other.editing, other.id == owner || lease.task == task.id else {
                continue
            }
            try endEdit(of: other.id)
        }
        var process = try process(owner)
        process.editing = EditLease(
            task: task.id, version: task.version, by: person,
            until: real + EditLease.milliseconds, untilInstant: instant + EditLease.milliseconds)
        try apply(
            .beginEdit(by: person, owner: owner), to: try store.requireTask(task.id))
        try store.put(process)
    }

    /// Lets an edit of a process last from now; says whether it still holds its task.
    package func renewEdit(of owner: ProcessID, instant: Int64) throws -> Bool {
        var process = try process(owner)
        guard var lease = process.editing, let task = try store.task(lease.task),
            lease.holds(task)
        else { return false }
        lease.until = real + EditLease.milliseconds
        lease.untilInstant = instant + EditLease.milliseconds
        process.editing = lease
        try store.put(process)
        return true
    }

    /// Ends the edit of a process, if it has one: its task can be taken again.
    package func endEdit(of owner: ProcessID) throws {
        guard var process = try store.processes().first(where: { $0.id == owner }),
            let lease = process.editing
        else { return }
        process.editing = nil
        try store.put(process)
        guard let task = try store.task(lease.task), task.isEdited(by: owner) else { return }
        try apply(.endEdit, to: task)
    }

    /// Ends the edit of a process if its time is over by `instant`.
    func endEditIfSpent(of owner: ProcessID, instant: Int64) throws {
        let lease = try store.processes().first { $0.id == owner }?.editing
        if let lease, lease.untilInstant <= instant { try endEdit(of: owner) }
    }

    private func process(_ id: ProcessID) throws -> ProcessRecord {
        guard let process = try store.processes().first(where: { $0.id == id }) else {
            throw QueueError(
                .changed, "process \(id) is no longer attached", fix: "start it again")
        }
        return process
    }
}

extension StoreReader {
    /// The task that is parked while that process edits it, if there is one (B11).
    package func taskEdited(by process: ProcessID) throws -> QueueTask? {
        let lease = try processes().first { $0.id == process }?.editing
        return try lease.flatMap { try task($0.task) }.flatMap {
            $0.isEdited(by: process) ? $0 : nil
        }
    }
}

extension QueueTask {
    fileprivate func isEdited(by process: ProcessID) -> Bool {
        guard let parking = waiting?.parking, parking.cause == .editing else { return false }
        return parking.owner == process
    }
}
