package import SluiceModel
import SluiceStore

/// Which tasks a predicate selects (D10).
extension Reading {
    /// The matching tasks of some queues, in running order, with their present versions (D8). Keeps
    /// only numbers and versions, so that a million fit. `sections` limits the search to parts of
    /// the list.
    package func targets(
        in queues: [QueueRecord], sections: [ListSection], matching filter: TaskFilter?
    ) throws -> [TaskTarget] {
        let filter = try ready(filter)
        let names = filter?.names(of: .queue)
        var found: [TaskTarget] = []
        for queue in queues where names?.contains(queue.name) ?? true {
            try FilteredQueue(self, queue, filter).each(in: sections) { task in
                found.append(TaskTarget(task))
                return .goOn
            }
        }
        return found
    }

    /// Resolves a filter for this store: finds the tasks of a folder's UUIDs. Throws `badFilter`
    /// for a UUID in a store whose tasks have none.
    package func ready(_ filter: TaskFilter?) throws -> TaskFilter? {
        try filter?.finding { try self.tasks($0) }
    }

    private func tasks(_ reference: TaskReference) throws -> [TaskID] {
        if let number = reference.number, try store.task(number) != nil { return [] }
        if let naming = store.naming {
            return try naming.tasks(folderIDPrefix: reference.prefix, limit: .max)
        }
        guard reference.number == nil else { return [] }
        throw QueueError(
            .badFilter, "no task of this store has a UUID such as \(reference)",
            fix: "name tasks by their numbers: id:12, id:12,15 or id:10..20")
    }
}
