public import QueueModel

/// How groups follow the life of their starts (B5, N2, Q10).
extension Mutation {
    /// How many members are looked at in one question.
    private static let slice = 1000

    /// Whether an earlier start of one of its groups holds the task.
    public func isHeld(_ task: QueueTask) throws -> Bool {
        for group in task.groupMembers {
            let start = try store.holdingStart(
                queue: task.queue, group: group, before: task.position)
            if let start, start != task.id { return true }
        }
        return false
    }

    /// Writes for the members what a change of their start means; `after` is nil when it is gone.
    func followGroup(from before: QueueTask?, to after: QueueTask?) throws {
        guard let task = after ?? before, let group = task.groupStart else { return }
        let held = before?.holdsMembers ?? false
        let holds = after?.holdsMembers ?? false
        if after?.endedStartPolicy == .giveUp, before?.endedStartPolicy != .giveUp {
            try giveUpMembers(of: task, group: group)
        } else if held, !holds {
            try forEachMember(of: task, group: group) { try self.refreshHeld($0) }
        } else if holds, !held || before?.position != after?.position {
            try forEachMember(of: task, group: group) { try self.refreshHeld($0) }
        }
    }

    /// Writes whether a waiting task is held, where that changed.
    func refreshHeld(_ task: QueueTask) throws {
        let isHeld = try isHeld(task)
        guard isHeld != task.isHeld else { return }
        var member = task
        member.isHeld = isHeld
        try store.update([member])
    }

    private func giveUpMembers(of start: QueueTask, group: String) throws {
        try forEachMember(of: start, group: group) { member in
            // A nested start may have taken the member with it already.
            guard let current = try self.store.task(member.id), current.waiting != nil else {
                return
            }
            try self.apply(
                .giveUp(reason: "its start #\(start.id) was given up"), to: current)
        }
    }

    /// Visits the waiting members that come after a start, by position.
    private func forEachMember(
        of start: QueueTask, group: String, _ body: (QueueTask) throws -> Void
    ) throws {
        var position = start.position
        while true {
            let members = try store.waitingMembers(
                queue: start.queue, group: group, after: position, through: nil,
                limit: Self.slice)
            for member in members where member.id != start.id { try body(member) }
            guard members.count == Self.slice, let last = members.last else { return }
            position = last.position
        }
    }
}

extension Mutation {
    /// After a move: whether the task is held at its new place, and whom it holds from there.
    public func refreshGroupRoles(of task: QueueTask) throws {
        if task.waiting != nil { try refreshHeld(task) }
        guard let group = task.groupStart else { return }
        var start = task
        start.position = .min
        try forEachMember(of: start, group: group) { try self.refreshHeld($0) }
    }

    /// Puts a task back to a former self (D9), with what that means for its groups; the version
    /// goes on.
    public func restore(_ former: QueueTask, in current: QueueTask) throws {
        var task = former
        task.version = current.version + 1
        task.updatedAt = now
        task.executions = current.executions
        task.isHeld = false
        if task.waiting != nil { task.isHeld = try isHeld(task) }
        try store.update([task])
        record(before: current, after: task)
        try refreshGroupRoles(of: task)
    }
}
