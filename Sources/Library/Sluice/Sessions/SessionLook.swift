/// A poll of the store for new events of a session.
struct SessionLook {
    let session: String
    let process: ProcessID
    let now: Timestamp
    let told: SessionLedger.Told
    let kinds: [String: any TaskPayload.Type]

    /// The maximum number of ends per read, because each one includes its payload and result.
    static let limit = 200
    private static let page = 500

    /// The new events, and whether more remain.
    func events(_ store: any StoreReader) throws -> (events: [SessionEvent], isCut: Bool) {
        var ended: [QueueTask] = []
        var progress: [SessionEvent] = []
        for state in [TaskState.Name.succeeded, .failed, .deleted] {
            try forEach(state, store) { task in
                if told.ends[task.id] != SessionLedger.EndKey(task) { ended.append(task) }
                return ended.count < Self.limit
            }
        }
        try forEach(.running, store) { task in
            if let step = try self.progress(of: task, store) { progress.append(.progress(step)) }
            return true
        }
        let entries = try store.entries(ended).sorted {
            ($0.task.endedAt ?? now, $0.task.id) < ($1.task.endedAt ?? now, $1.task.id)
        }
        let events = entries.map { SessionEvent.ended(SessionItem($0, kinds: kinds)) }
        return (try pauses(store) + progress + events, ended.count >= Self.limit)
    }

    /// The tasks of a state that this process waits for, until `body` has enough.
    private func forEach(
        _ state: TaskState.Name, _ store: any StoreReader, _ body: (QueueTask) throws -> Bool
    ) throws {
        var after: TaskID = 0
        while true {
            let tasks = try store.tasks(
                .awaited(session: session, state: state, after: after), limit: Self.page)
            for task in tasks where task.collector == process {
                guard try body(task) else { return }
            }
            guard let last = tasks.last, tasks.count == Self.page else { return }
            after = last.id
        }
    }

    private func progress(
        of task: QueueTask, _ store: any StoreReader
    ) throws -> SessionProgress? {
        guard let attempt = try store.attempts(of: task.id).last,
            attempt.fraction != nil || attempt.progressText != nil
        else { return nil }
        let progress = SessionProgress(
            id: task.id, execution: attempt.number, fraction: attempt.fraction,
            text: attempt.progressText)
        return told.progress[task.id] == progress ? nil : progress
    }

    /// New pauses that keep work of the session from starting.
    private func pauses(_ store: any StoreReader) throws -> [SessionEvent] {
        let record = try store.storeRecord()
        let moment = record.time.time(at: now)
        let storePauses = record.pauses.filter { $0.isActive(at: moment) }
        var untold: [String: [Pause]] = [:]
        for queue in try store.queues() {
            let new = (storePauses + queue.activePauses(at: moment, real: now)).filter {
                $0.direction.stopsWork && !told.pauses.contains($0.mark(of: queue.name))
            }
            if !new.isEmpty { untold[queue.name] = new }
        }
        var events: [SessionEvent] = []
        guard !untold.isEmpty else { return events }
        try forEach(.waiting, store) { task in
            for pause in untold.removeValue(forKey: task.queue) ?? [] {
                events.append(.paused(queue: task.queue, pause))
            }
            return !untold.isEmpty
        }
        return events
    }
}
