package import SluiceModel

/// A warning after an enqueue: the task is a member of a group without a start in its queue. The
/// enqueue remains valid, but no start holds the task, because starts hold only members of their
/// queue (B5).
package struct GroupMistake: Hashable, Sendable, CustomStringConvertible {
    package let task: TaskID
    package let queue: String
    package let group: String
    /// Another queue with a waiting or running start of that name, or `nil` if none was found.
    package let startQueue: String?

    package var description: String {
        let place = startQueue.map {
            "starts in \($0), and a start holds only members of its queue"
        }
        return "nothing holds #\(task) in \(queue): the group \(group) "
            + (place ?? "has no start")
    }
}

extension StoreReader {
    /// The warnings for tasks just enqueued. Checks their first few groups, and skips groups that
    /// may have had a start which ended. Searches the first hundred other queues for a start.
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
