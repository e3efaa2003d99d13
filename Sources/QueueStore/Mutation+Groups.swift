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
        } else if held != holds || holds && before?.position != after?.position {
            try refreshMembers(after: task.position, of: group, in: task.queue)
        }
    }

    /// Writes for the waiting members of a group behind a position whether they are held: what the
    /// group itself says is asked once, other groups of a member for each.
    private func refreshMembers(
        after position: Int64, of group: String, in queue: String
    ) throws {
        let first = try store.holdingStart(queue: queue, group: group, before: .max)
        let start = try first.flatMap { try store.task($0) }
        try forEachSlice(after: position, of: group, in: queue) { members in
            try store.update(
                try members.compactMap { member in
                    let isHeldHere = start.map { $0.position < member.position } ?? false
                    let isHeld =
                        try isHeldHere || member.groupMembers.count > 1 && self.isHeld(member)
                    guard isHeld != member.isHeld else { return nil }
                    var changed = member
                    changed.isHeld = isHeld
                    return changed
                })
        }
    }

    /// Writes whether a waiting task is held, where that changed; says whether it did.
    @discardableResult
    public func refreshHeld(_ task: QueueTask) throws -> Bool {
        let isHeld = try isHeld(task)
        guard isHeld != task.isHeld else { return false }
        var member = task
        member.isHeld = isHeld
        try store.update([member])
        return true
    }

    private func giveUpMembers(of start: QueueTask, group: String) throws {
        let reason = "its start #\(start.id) was given up"
        try forEachSlice(after: start.position, of: group, in: start.queue) { members in
            for member in members where member.id != start.id {
                // A nested start may have taken the member with it already.
                guard let current = try store.task(member.id), current.waiting != nil else {
                    continue
                }
                try apply(.giveUp(reason: reason), to: current)
            }
        }
    }

    /// Visits the waiting members of a group behind a position, by position, many at a time.
    private func forEachSlice(
        after position: Int64, of group: String, in queue: String,
        _ body: ([QueueTask]) throws -> Void
    ) throws {
        var position = position
        while true {
            let members = try store.waitingMembers(
                queue: queue, group: group, after: position, through: nil, limit: Self.slice)
            if !members.isEmpty { try body(members) }
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
        try refreshMembers(after: .min, of: group, in: task.queue)
    }

    /// Puts a task back to a former self (D9), with what that means for its groups; the version
    /// goes on.
    public func restore(_ former: QueueTask, in current: QueueTask) throws {
        var task = former
        task.version = current.version + 1
        task.updatedAt = now
        task.executions = current.executions
        task.collector = current.collector
        task.isHeld = false
        if task.waiting != nil { task.isHeld = try isHeld(task) }
        try store.update([task])
        record(before: current, after: task)
        try refreshGroupRoles(of: task)
    }
}
