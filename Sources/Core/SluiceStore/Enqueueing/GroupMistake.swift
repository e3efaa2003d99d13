package import SluiceModel

/// What somebody should know who enqueued a member of a group that nothing starts in its queue: a
/// start holds members of its own queue alone (B5), so nothing holds the task. The enqueue is legal
/// and stands.
package struct GroupMistake: Hashable, Sendable, CustomStringConvertible {
    /// The task.
    package let task: TaskID
    /// Its queue.
    package let queue: String
    /// The group.
    package let group: String
    /// Another queue in which a start of that name waits or runs; nil where none was found.
    package let startQueue: String?

    /// What is the matter, in a sentence.
    package var description: String {
        let place = startQueue.map {
            "starts in \($0), and a start holds members of its own queue alone"
        }
        return "nothing holds #\(task) in \(queue): the group \(group) "
            + (place ?? "has no start")
    }
}

extension StoreReader {
    /// What to tell of tasks that were just enqueued: of their first few groups those of which the
    /// queue has no start and no task that has ended, so that it cannot be that a start was
    /// finished and forgotten. Of many other queues the first hundred are asked for the start.
    package func groupMistakes(of ids: [TaskID]) throws -> [GroupMistake] {
        var found: [GroupMistake] = []
        var seen: Set<[String]> = []
        for task in try tasks(Array(ids.prefix(1_000))) {
            for group in task.groupMembers where seen.insert([task.queue, group]).inserted {
                guard seen.count <= 16 else { return found }
                guard try !mayBeStarted(group, in: task.queue) else { continue }
                found.append(
                    GroupMistake(
                        task: task.id, queue: task.queue, group: group,
                        startQueue: try queueThatStarts(group, besides: task.queue)))
            }
        }
        return found
    }

    private func mayBeStarted(_ group: String, in queue: String) throws -> Bool {
        if try holds(group, in: queue) { return true }
        return try [TaskState.Name.succeeded, .failed, .deleted].contains { state in
            var query = TaskQuery(queue: queue, state: state, limit: 1)
            query.group = group
            return try !tasks(matching: query).isEmpty
        }
    }

    private func holds(_ group: String, in queue: String) throws -> Bool {
        try first(.holdingStarts(queue: queue, group: group, after: .min, before: .max)) != nil
    }

    private func queueThatStarts(_ group: String, besides queue: String) throws -> String? {
        try queues(behind: 0, limit: 100).map(\.name).first {
            try $0 != queue && holds(group, in: $0)
        }
    }
}
