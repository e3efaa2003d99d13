package import SluiceModel

/// Additional reads for bodies on a folder: the names of its tasks there.
package protocol TaskNaming: StoreReader {
    /// The task's id in the folder, normally an uppercase UUID, also for the newest 10,000 removed
    /// tasks. `nil` if it has none.
    func folderID(of task: TaskID) throws -> String?
    /// Whether the folder's files hold more about it than the SDK's format does.
    func hasUnknownKeys(_ task: TaskID) throws -> Bool
    /// The tasks whose id begins with a text, capitals or not, in their order; at most `limit`.
    func tasks(folderIDPrefix prefix: String, limit: Int) throws -> [TaskID]
}

extension TaskNaming {
    /// The UUID that people know a task by. `nil` if its id is no UUID; such a task is known by its
    /// number.
    package func uuid(of task: TaskID) throws -> String? {
        try folderID(of: task).flatMap { TaskOrigin.isUUID($0) ? $0 : nil }
    }

    package var naming: (any TaskNaming)? { self }

    /// The task that a person named: by its number, its id, or the beginning of that; digits alone
    /// are a number first. Throws `unknownTask` or `ambiguousTask`.
    package func task(matching reference: TaskReference) throws -> TaskID {
        let prefix: String
        switch reference {
        case .number(let number): return try requireTask(number).id
        case .either(let number, let text):
            if let task = try task(number) { return task.id }
            prefix = text
        case .uuid(let text), .foreign(let text): prefix = text
        }
        let found = try tasks(folderIDPrefix: prefix, limit: 4)
        guard let first = found.first else {
            throw QueueError(
                .unknownTask, "no task of this folder begins with \(prefix)",
                fix: "it may have finished or been purged: sluice list shows the tasks")
        }
        guard found.count > 1 else { return first }
        let names = try found.prefix(3).map { try uuid(of: $0) ?? "#\($0)" }
        throw QueueError(
            .ambiguousTask,
            "several tasks begin with \(prefix): \(names.joined(separator: ", "))"
                + (found.count > 3 ? " and others" : ""), fix: "give more characters")
    }
}
