import SluiceModel

/// A task's roles in the groups of its queue, as rows of `sluice_role`.
struct Roles: Equatable {
    struct Role: Equatable {
        var isMember: Bool
        var holds: Bool
    }

    var queue: Int64
    var task: TaskID
    var state: TaskState.Name
    var rank: [UInt8]
    var position: Int64
    var byGroup: [String: Role]

    /// Nil for a task without a group.
    init?(_ task: QueueTask, queue: TableReader.QueueEntry) {
        guard task.hasGroupRole else { return nil }
        self.queue = queue.id
        self.task = task.id
        state = task.state.name
        rank = task.orderKey(queue.record.sharedSettings.value.order).bytes
        position = task.position
        byGroup = [:]
        for group in task.groupMembers { byGroup[group] = Role(isMember: true, holds: false) }
        if let group = task.groupStart {
            byGroup[group, default: Role(isMember: false, holds: false)].holds = task.holdsMembers
        }
    }

    /// The contribution of the role in `group` to the counts.
    func tally(of group: String) -> GroupTally {
        guard let role = byGroup[group] else { return GroupTally() }
        return GroupTally(
            starts: role.holds ? 1 : 0, waiting: role.isMember && state == .waiting ? 1 : 0,
            running: role.isMember && state == .running ? 1 : 0)
    }
}

struct GroupKey: Hashable {
    var queue: Int64
    var name: String
}

/// How many starts of a group hold, and how many members wait and run; or by how many that changed.
struct GroupTally: Equatable {
    var starts = 0
    var waiting = 0
    var running = 0

    mutating func add(_ other: GroupTally, times factor: Int) {
        starts += factor * other.starts
        waiting += factor * other.waiting
        running += factor * other.running
    }
}
