package import SluiceModel

/// The pauses of a folder's tasks as people read them. A store of any engine keeps the number of
/// the task; people know a task of a folder by its UUID (P6).
extension StoreReader {
    /// A pause, with the task that brought it by its name.
    package func named(_ pause: Pause) throws -> Pause {
        guard let naming, [.handler, .required].contains(pause.cause),
            let word = pause.by.split(separator: " ", maxSplits: 1).first, word.hasPrefix("#"),
            let task = TaskID(word.dropFirst()), let uuid = try naming.uuid(of: task)
        else { return pause }
        var pause = pause
        pause.by = "\(uuid.prefix(8))\(pause.by.dropFirst(word.count))"
        return pause
    }

    /// A queue with its pauses so; for reading alone.
    package func named(_ queue: QueueRecord) throws -> QueueRecord {
        guard naming != nil, !queue.pauses.isEmpty else { return queue }
        var queue = queue
        queue.pauses = try queue.pauses.map(named)
        return queue
    }
}
