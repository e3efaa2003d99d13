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

/// How groups follow the life of their starts (B5, N2, Q10).
extension Mutation {
    /// Whether an earlier start of one of its groups holds the task.
    package func isHeld(_ task: QueueTask) throws -> Bool {
        for group in task.groupMembers {
            let start = try store.holdingStart(
                queue: task.queue, group: group, before: task.position)
            if let start, start != task.id { return true }
        }
        return false
    }

    /// Updates the members of a group after a change of their start; `after` is `nil` if the start
    /// was removed.
    func followGroup(from before: QueueTask?, to after: QueueTask?) throws {
        guard let task = after ?? before, task.groupStart != nil else { return }
        if after?.endedStartPolicy == .giveUp, before?.endedStartPolicy != .giveUp {
            try take(membersOf: task, deletedBy: nil)
        } else {
            try refreshMembers(from: before, to: after)
        }
    }

    /// Ends the waiting members after a start: deletes them on behalf of `person`, or gives them
    /// up.
    package func take(membersOf start: QueueTask, deletedBy person: String?) throws {
        guard let group = start.groupStart else { return }
        let taking = GroupWake.Taking(
            start: start, below: try store.reserveTaskIDs(0), deletedBy: person)
        try begin(
            GroupWake(group: group, taking: taking), in: start.queue, behind: start.position)
    }

    /// Updates whether the members after a start are held, if its change affects that.
    private func refreshMembers(from before: QueueTask?, to after: QueueTask?) throws {
        guard let task = after ?? before, let group = task.groupStart else { return }
        let held = before?.holdsMembers ?? false
        let holds = after?.holdsMembers ?? false
        if holds { try spareMembers(of: task) }
        guard held != holds || holds && before?.position != after?.position else { return }
        let first = [before?.position, after?.position].compactMap { $0 }.min()
        try begin(GroupWake(group: group), in: task.queue, behind: first ?? .min)
    }

    /// Writes whether a waiting task is held, where that changed; says whether it did.
    @discardableResult
    package func refreshHeld(_ task: QueueTask) throws -> Bool {
        let isHeld = try isHeld(task)
        guard isHeld != task.isHeld else { return false }
        var member = task
        member.isHeld = isHeld
        try store.update([member])
        return true
    }

    /// Restores an earlier value of a task (D9) and updates its groups. The version still
    /// increases.
    package func restore(_ former: QueueTask, in current: QueueTask) throws {
        var task = try settled(former)
        task.version = current.version + 1
        task.updatedAt = real
        task.executions = current.executions
        task.collector = current.collector
        task.isHeld = false
        try followRun(&task)
        if task.waiting != nil {
            task.isHeld = try isHeld(task)
            try forgetGone(&task)
        }
        try store.update([task])
        record(before: current, after: task)
        try refreshMembers(from: current, to: task)
        try followPlace(from: current, to: task)
    }
}
