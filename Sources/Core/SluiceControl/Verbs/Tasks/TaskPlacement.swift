import SluiceModel
import SluiceStore

/// `move`: another place in the running order that the screen shows (Q1), or another queue.
struct TaskPlacement {
    let context: VerbContext

    func move(_ task: QueueTask, to place: MovePlace) throws {
        guard context.slice.total == 1 else {
            throw QueueError(
                .badValue, "\(context.slice.total) tasks cannot take one place",
                fix: "name one task, or move them to another --queue")
        }
        let order = try context.mutation.queue(task.queue).settings.order
        let shown = try neighbours(of: place, task: task)
        let equals = try equals(shown, of: task, order)
        let position =
            try shown.before == nil && shown.after == nil
            ? task.position : position(between: equals, order: order, queue: task.queue)
        // A spread may have changed its position, so read it again.
        try context.mutation.apply(
            .move(position: position), to: try context.store.requireTask(task.id))
    }

    func move(_ task: QueueTask, toQueue name: String) throws {
        guard !task.hasGroupRole else {
            throw QueueError.notLegal(
                "task #\(task.id) belongs to a group of \(task.queue)",
                fix: "a task with a group is not moved to another queue")
        }
        _ = try context.mutation.queue(name)
        try context.refuseTakenKey(task, in: name)
        var moved = task.withoutEdit
        moved.queue = name
        moved.position = try context.store.lastPosition(queue: name) + positionGap
        moved.version += 1
        moved.updatedAt = context.real
        moved.freshAt = context.now
        if var waiting = moved.waiting {
            // The marks of a run stay with its queue.
            waiting.attemptedInRun = false
            if waiting.skip?.endsWithRun == true { waiting.skip = nil }
            moved.state = .waiting(waiting)
        }
        try context.store.update([moved])
        context.mutation.record(before: task, after: moved)
    }

    /// The tasks before and after the new place, in the running order.
    private func neighbours(
        of place: MovePlace, task: QueueTask
    ) throws -> (before: QueueTask?, after: QueueTask?) {
        let order = try context.mutation.queue(task.queue).settings.order
        func neighbour(_ other: QueueTask, isBackwards: Bool) throws -> QueueTask? {
            var query = TaskQuery(queue: task.queue, state: .waiting, limit: 2)
            query.after = other.orderKey(order)
            query.isBackwards = isBackwards
            return try context.store.tasks(matching: query).first { $0.id != task.id }
        }
        func outermost(isBackwards: Bool) throws -> QueueTask? {
            var query = TaskQuery(queue: task.queue, state: .waiting, limit: 2)
            query.isBackwards = isBackwards
            return try context.store.tasks(matching: query).first { $0.id != task.id }
        }
        switch place {
        case .first: return (nil, try outermost(isBackwards: false))
        case .last: return (try outermost(isBackwards: true), nil)
        case .before(let id):
            let other = try sibling(id, of: task)
            return (try neighbour(other, isBackwards: true), other)
        case .after(let id):
            let other = try sibling(id, of: task)
            return (other, try neighbour(other, isBackwards: false))
        }
    }

    private func sibling(_ id: TaskID, of task: QueueTask) throws -> QueueTask {
        let other = try context.store.requireTask(id)
        guard other.queue == task.queue, other.waiting != nil, other.id != task.id else {
            throw QueueError.notLegal(
                "#\(id) does not wait in \(task.queue)",
                fix: "name a waiting task of the same queue")
        }
        return other
    }

    /// The neighbours among which a position decides: among unequal priorities or keys it decides
    /// nothing, and the move is refused with the word to use instead (Q1).
    private func equals(
        _ neighbours: (before: QueueTask?, after: QueueTask?), of task: QueueTask,
        _ order: QueueOrder
    ) throws -> (before: QueueTask?, after: QueueTask?) {
        let isEqual: (QueueTask) -> Bool
        let fix: (QueueTask) -> String
        let what: String
        switch order {
        case .fifo, .lifo: return neighbours
        case .priority:
            what = "priority"
            isEqual = { $0.priority == task.priority }
            fix = { "sluice priority \(task.id) \($0.priority) puts it there" }
        case .key:
            what = "sort key"
            isEqual = { $0.sortKey == task.sortKey }
            fix = { _ in "sluice edit \(task.id) --set sortKey=… puts it there" }
        }
        let before = neighbours.before.flatMap { isEqual($0) ? $0 : nil }
        let after = neighbours.after.flatMap { isEqual($0) ? $0 : nil }
        if before == nil, after == nil, let other = neighbours.before ?? neighbours.after {
            throw QueueError.notLegal(
                "the \(what) of #\(task.id) decides its place", fix: fix(other))
        }
        return (before, after)
    }

    /// A free position between two neighbours. If the gap is full, it first spreads the waiting
    /// tasks of the queue.
    private func position(
        between neighbours: (before: QueueTask?, after: QueueTask?), order: QueueOrder,
        queue: String
    ) throws -> Int64 {
        let isTurned = order == .lifo
        let low = (isTurned ? neighbours.after : neighbours.before)?.position
        let high = (isTurned ? neighbours.before : neighbours.after)?.position
        if let free = try free(from: low, to: high, queue: queue) { return free }
        try spread(queue)
        func present(_ task: QueueTask?) throws -> Int64? {
            try task.flatMap { try context.store.task($0.id)?.position }
        }
        let (first, second) = (try present(neighbours.before), try present(neighbours.after))
        let found = try free(
            from: isTurned ? second : first, to: isTurned ? first : second, queue: queue)
        guard let found else {
            throw QueueError.notLegal("there is no room left in \(queue)", fix: "try again")
        }
        return found
    }

    /// The middle of the gap after `low` or before `high`. Tasks in other states occupy positions
    /// too.
    private func free(from low: Int64?, to high: Int64?, queue: String) throws -> Int64? {
        switch (low, high) {
        case (nil, nil): return positionGap
        case (_?, nil): return try context.store.lastPosition(queue: queue) + positionGap
        case (nil, let high?):
            let before = try context.store.neighbour(queue: queue, of: high, isBefore: true)
            guard let before else { return high - positionGap }
            return high - before >= 2 ? before + (high - before) / 2 : nil
        case (let low?, let high?):
            let next = try context.store.neighbour(queue: queue, of: low, isBefore: false) ?? high
            let end = min(next, high)
            return end - low >= 2 ? low + (end - low) / 2 : nil
        }
    }

    /// Gives every task of a queue a new position, in the same order.
    private func spread(_ queue: String) throws {
        var tasks: [QueueTask] = []
        for state in TaskState.Name.allCases {
            tasks += try context.store.tasks(
                matching: TaskQuery(queue: queue, state: state, limit: .max / 2))
        }
        tasks.sort { ($0.position, $0.id) < ($1.position, $1.id) }
        let base = (tasks.last?.position ?? 0) + positionGap
        try context.mutation.restartWakes(of: queue) { former in
            let behind = tasks.firstIndex { $0.position > former } ?? tasks.count
            return base + Int64(behind) * positionGap - 1
        }
        for (index, task) in tasks.enumerated() {
            var moved = task.withoutEdit
            moved.position = base + Int64(index) * positionGap
            // An undo of an older verb would bring the old position back.
            moved.version += 1
            try context.store.update([moved])
        }
    }
}
