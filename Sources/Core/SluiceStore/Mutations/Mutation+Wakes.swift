package import SluiceModel

/// The work for group members in one commit.
struct WakeWork {
    /// A wake of a queue, and the position before its members.
    struct Begun {
        var wake: GroupWake
        var queue: String
        var position: Int64
    }
    /// How many members may still follow their starts in this commit.
    var membersLeft: Int
    /// Wakes begun during other work; they come next.
    var begun: [Begun] = []
    /// The work that this commit leaves to wakes.
    var left: [Begun] = []
    /// The verb of the slice in progress.
    var verb: GroupWake.VerbPlace?
    var isBusy = false
}

extension GroupWake {
    /// The reason for giving up a member with its start.
    package static func reason(of start: TaskID) -> String { "its start #\(start) was given up" }
}

/// Members follow their starts: few of them in the commit of the event, many in slices (T2).
extension Mutation {
    /// The number of members read without counting them first.
    private static let membersReadAtOnce = 50

    /// Works off what wakes have left to do, as much as one commit holds; says whether more is
    /// left.
    @discardableResult
    package func workOffWakes() throws -> Bool {
        var isLeft = false
        for name in try store.queuesWithWakes() {
            try busily { try slices(of: name) }
            isLeft = try isLeft || !queue(name).wakes.isEmpty
        }
        return isLeft
    }

    /// Begins to write for the members of a group what became of a start: all of it here where they
    /// are few enough, else as much as this commit holds.
    func begin(_ wake: GroupWake, in queue: String, behind position: Int64) throws {
        var begun = WakeWork.Begun(wake: wake, queue: queue, position: position)
        begun.wake.taking?.verb = wakeWork.verb
        wakeWork.begun.append(begun)
        guard !wakeWork.isBusy else { return }
        try busily {
            guard try settleBegun() else { return }
            wakeWork.membersLeft = min(wakeWork.membersLeft, Self.membersOfMany)
            try slices(of: queue)
            // Write the queues first, so that readers in this write see the remaining wakes.
            try writeQueues()
        }
    }

    private func busily(_ body: () throws -> Void) throws {
        wakeWork.isBusy = true
        defer { wakeWork.isBusy = false }
        try body()
    }

    /// Processes the newest first, so that wakes begun within a slice finish before the slice
    /// continues. Returns whether any remains as a wake.
    @discardableResult
    private func settleBegun() throws -> Bool {
        var isLeft = false
        while let begun = wakeWork.begun.popLast() {
            if let members = try members(begun) {
                wakeWork.membersLeft -= members.count
                if let taking = begun.wake.taking {
                    for member in members { try take(member, by: taking) }
                } else {
                    try refresh(members, of: begun.wake.group, in: begun.queue)
                }
                continue
            }
            try changeQueue(begun.queue) { queue in
                queue.wakes.removeAll { $0.isSame(as: begun.wake) }
                queue.wakes.append(begun.wake)
            }
            wakeWork.left.append(begun)
            isLeft = true
        }
        return isLeft
    }

    /// The members affected by a begun wake, or `nil` if they exceed the limit of this commit.
    /// Counts before reading many: no other writer runs in between.
    private func members(_ begun: WakeWork.Begun) throws -> [QueueTask]? {
        let (queue, group, limit) = (begun.queue, begun.wake.group, wakeWork.membersLeft)
        func first(_ count: Int) throws -> [QueueTask] {
            try store.tasks(
                .waitingMembers(queue: queue, group: group, after: begun.position), limit: count)
        }
        let few = min(limit, Self.membersReadAtOnce)
        let members = try first(few + 1)
        guard members.count > few else { return members }
        let count = try store.countTasks(
            .waitingMembers(queue: queue, group: group, after: begun.position), limit: limit + 1)
        return count > limit ? nil : try first(limit)
    }

    private func slices(of name: String) throws {
        while wakeWork.membersLeft > 0, let wake = try queue(name).wakes.last {
            try slice(wake, of: name)
        }
    }

    private func slice(_ wake: GroupWake, of name: String) throws {
        let order = try queue(name).settings.order
        // One more than a commit may change shows whether this is the last slice.
        let limit = wakeWork.membersLeft
        var query = TaskQuery(queue: name, state: .waiting, limit: limit + 1)
        query.group = wake.group
        query.after = wake.cursor
        let found = try store.tasks(matching: query)
        let tasks = found.prefix(limit)
        var last: QueueTask?
        if let taking = wake.taking {
            wakeWork.verb = taking.verb
            defer { wakeWork.verb = nil }
            let images = undo.tasks.count
            for task in tasks where wakeWork.membersLeft > 0 {
                wakeWork.membersLeft -= 1
                if task.groupMembers.contains(wake.group) { try take(task, by: taking) }
                try settleBegun()
                last = task
            }
            try journal(taking, of: name, imagesFrom: images)
        } else {
            wakeWork.membersLeft -= tasks.count
            let members = tasks.filter { $0.groupMembers.contains(wake.group) }
            try refresh(members, of: wake.group, in: name)
            last = tasks.last
        }
        try changeQueue(name) { queue in
            guard let place = queue.wakes.firstIndex(where: { $0.isSame(as: wake) }) else { return }
            if last?.id == found.last?.id {
                queue.wakes.remove(at: place)
            } else if let last {
                queue.wakes[place].cursor = OrderKey(last, order: order)
            }
        }
    }
}

extension Mutation {
    /// Updates whether waiting members of a group are held. Reads this group's start once, and the
    /// other groups for each member.
    private func refresh(_ members: [QueueTask], of group: String, in queue: String) throws {
        let first = try store.holdingStart(queue: queue, group: group, before: .max)
        let start = try first.flatMap { try store.task($0) }
        try store.update(
            try members.compactMap { member in
                let isHeldHere = start.map { $0.position < member.position } ?? false
                let isHeld = try isHeldHere || member.groupMembers.count > 1 && self.isHeld(member)
                guard isHeld != member.isHeld else { return nil }
                var changed = member
                changed.isHeld = isHeld
                return changed
            })
    }

    /// Ends a member with its start, if it waits still: another start may have taken it already.
    private func take(_ member: QueueTask, by taking: GroupWake.Taking) throws {
        guard taking.takes(member), let current = try store.task(member.id),
            current.waiting != nil
        else { return }
        if let person = taking.deletedBy {
            try apply(.delete(Deletion(by: person)), to: current)
        } else {
            try apply(.giveUp(reason: GroupWake.reason(of: taking.start)), to: current)
        }
    }

    /// The line of a slice that belongs to a verb, with what the verb's undo needs (D9).
    private func journal(
        _ taking: GroupWake.Taking, of queue: String, imagesFrom first: Int
    ) throws {
        guard let verb = taking.verb else { return }
        let record = takeImages(from: first)
        guard !record.isEmpty else { return }
        let count = record.tasks.count
        let fate = taking.deletedBy == nil ? "given up" : "deleted"
        try store.append([
            JournalEvent(
                at: real, kind: JournalEvent.followed, queue: queue, task: nil, by: verb.person,
                text: "\(count) more \(fate) with their start #\(taking.start)", undo: record,
                bulk: verb.event)
        ])
    }

    /// Assigns the wakes left by this commit to a verb, journalled as `event` (D9).
    package func nameWakes(_ verb: GroupWake.VerbPlace) throws {
        for left in wakeWork.left where left.wake.taking != nil {
            try changeQueue(left.queue) { queue in
                for place in queue.wakes.indices where queue.wakes[place].isSame(as: left.wake) {
                    queue.wakes[place].taking?.verb = verb
                }
            }
        }
    }

    /// Stops wakes of a start that holds again from ending more members. Members already ended stay
    /// so (D6).
    func spareMembers(of start: QueueTask) throws {
        guard try !queue(start.queue).wakes.isEmpty else { return }
        try changeQueue(start.queue) { $0.wakes.removeAll { $0.taking?.start == start.id } }
    }

    /// Follows a change of a waiting task's position: updates whether it is held, and keeps pending
    /// wakes from skipping it.
    func followPlace(from before: QueueTask, to after: QueueTask) throws {
        guard before.waiting != nil, after.waiting != nil, !after.groupMembers.isEmpty
        else { return }
        if before.position != after.position { try refreshHeld(after) }
        let queue = try queue(after.queue)
        let order = queue.settings.order
        guard !queue.wakes.isEmpty,
            before.orderKey(order) != after.orderKey(order) || before.position != after.position
        else { return }
        for wake in queue.wakes
        where after.groupMembers.contains(wake.group) && !wake.hasPassed(before, order: order) {
            if let taking = wake.taking {
                if taking.takes(before) { try take(before, by: taking) }
            } else if let current = try store.task(after.id) {
                try refreshHeld(current)
            }
        }
    }

    /// Adapts wakes after the waiting tasks of a queue get new positions in the same order.
    package func restartWakes(
        of name: String, movingPositions move: (Int64) -> Int64
    ) throws {
        guard try !queue(name).wakes.isEmpty else { return }
        try changeQueue(name) { queue in
            queue.restartWakes()
            for place in queue.wakes.indices {
                guard let position = queue.wakes[place].taking?.position else { continue }
                queue.wakes[place].taking?.position = move(position)
            }
        }
    }
}
