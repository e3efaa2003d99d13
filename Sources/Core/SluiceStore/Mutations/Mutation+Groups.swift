package import SluiceModel

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
