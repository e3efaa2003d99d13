import SluicePlatform

/// A task's end in one call, and the tasks of an app's own screens.
extension QueueClient {
    /// Waits for the end of a task, and returns the decoded result of its handler.
    ///
    /// Throws `notLegal` with the error of a task that was given up or deleted, or whose result the
    /// queue keeps no more (`.keepFinished`). Throws `unknownTask` for a task that never existed,
    /// and `CancellationError` when the calling Swift task is cancelled.
    public func value<Value: Decodable & Sendable>(
        of id: TaskID, as type: Value.Type
    ) async throws -> Value {
        let result = try await firstValue { try $0.resultAtEnd(of: id) }
        return try PayloadCoding.decodeJSON(type, result)
    }

    /// Moves a task to the trash, whether it waits, runs or has ended; a running one is stopped.
    /// `.undelete` of `control` restores it.
    ///
    /// Throws `unknownTask` for a task that does not exist.
    public func cancel(_ id: TaskID) async throws {
        try await control.perform(.delete([TaskTarget(id)], cancelsRunning: true))
    }

    /// Makes a queue or changes its settings, all in one commit; nothing if there is no change.
    ///
    /// Throws `badValue` for a setting out of its range.
    public func configure(_ queue: String, _ changes: () -> [SettingChange]) async throws {
        let changes = changes()
        let isSame = try await store.read { store in
            guard let known = try store.queue(named: queue)?.settings else { return false }
            var wanted = known
            for change in changes { try wanted.apply(change) }
            return wanted == known
        }
        guard !isSame else { return }
        try await control.perform(.setQueue(queue, changes))
    }

    /// The tasks of every queue that match a filter of `sluice list --filter`, in their order, at
    /// most `limit`.
    ///
    /// Throws `badFilter` for a text that is no filter.
    public func tasks(matching filter: String, limit: Int = 1_000) async throws -> [QueueTask] {
        let filter = try TaskFilter(filter)
        return try await look { reading in
            let found = try reading.targets(
                in: try reading.store.queues(), sections: ListSection.allCases, matching: filter)
            return try reading.store.tasks(found.prefix(max(0, limit)).map(\.id))
        }
    }
}

extension StoreReader {
    /// The result of a task that succeeded; nil while it has not ended.
    fileprivate func resultAtEnd(of id: TaskID) throws -> [UInt8]? {
        guard let task = try task(id) else {
            let last = try attempts(of: id).last
            guard last?.outcome != nil else { throw QueueError.unknownTask(id) }
            throw QueueError.notLegal(
                "#\(id) has ended, and its queue keeps no results",
                fix: "set keepFinished of the queue, such as .last(1000)")
        }
        let name = "#\(id) \(task.type)"
        switch task.stateName {
        case .waiting, .running: return nil
        case .succeeded:
            if let result = try result(of: id) { return result }
            throw QueueError.notLegal(
                "\(name) succeeded without a result", fix: "register its handler with returning:")
        case .failed:
            let reason = task.lastError.map { ": \($0)" } ?? ""
            throw QueueError.notLegal(
                "\(name) was given up\(reason)", fix: "retry it, or correct its handler")
        case .deleted:
            throw QueueError.notLegal("\(name) was deleted", fix: "undelete it")
        }
    }
}
