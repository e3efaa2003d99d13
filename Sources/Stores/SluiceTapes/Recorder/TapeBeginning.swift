import SluiceModel
import SluiceStore

/// The contents of a store at the start of a recording, page by page: queues, tasks with payloads,
/// leases, attempts, processes, and recent journal lines.
struct TapeBeginning {
    let reader: any StoreReader
    let queues: Set<String>?
    /// Whether the tape omits payload values. If so, it also omits attempts of removed tasks, since
    /// their payloads are unknown.
    let isRedacted: Bool
    private static let page = 200
    private static let journalLimit = 1000

    func read(_ take: ([TapeChange]) throws -> Void) throws {
        var record = try reader.storeRecord()
        record.recording = nil
        let all = try reader.queues().filter { queues?.contains($0.name) ?? true }
        let processes = try reader.processes()
        try take(
            [.other(.store(record))] + all.map { .other(.queue($0)) }
                + processes.map { .other(.process($0)) })
        for queue in all {
            for state in TaskState.Name.allCases { try read(queue, state, take) }
        }
        let permits = try reader.permits().filter { queues?.contains($0.queue) ?? true }
        try take(permits.map { .other(.permit($0)) })
        try take(try journal())
    }

    private func read(
        _ queue: QueueRecord, _ state: TaskState.Name, _ take: ([TapeChange]) throws -> Void
    ) throws {
        var query = TaskQuery(queue: queue.name, state: state, limit: Self.page)
        while true {
            let tasks = try reader.tasks(matching: query)
            guard let last = tasks.last else { return }
            query.after = last.orderKey(queue.settings.order)
            let payloads = try reader.payloads(of: tasks.map(\.id))
            var changes: [TapeChange] = []
            for task in tasks {
                changes.append(.inserted(NewTask(task: task, payload: payloads[task.id] ?? [])))
                if task.executions > 0 {
                    changes += try reader.writtenAttempts(of: task.id).map(TapeChange.attempt)
                }
                if let result = try reader.result(of: task.id) {
                    changes.append(.other(.result(result, of: task.id)))
                }
                if let origin = try reader.origin(of: task.id) {
                    changes.append(.other(.origin(origin, of: task.id)))
                }
            }
            try take(changes)
        }
    }

    private func journal() throws -> [TapeChange] {
        let query = JournalQuery(limit: Self.journalLimit, withUndo: false, withDetail: true)
        return try reader.journal(query).compactMap { entry in
            switch entry {
            case .event(let event):
                (queues?.contains(event.queue ?? "") ?? true) ? .event(event) : nil
            case .attempt(let attempt):
                (queues?.contains(attempt.queue) ?? true) ? .attempt(try told(attempt)) : nil
            }
        }
    }

    private func told(_ attempt: AttemptRecord) throws -> AttemptRecord {
        guard isRedacted, try reader.task(attempt.task) == nil else { return attempt }
        var attempt = attempt
        attempt.error = attempt.error.map { _ in Redactions.mark }
        (attempt.progressText, attempt.log) = (nil, [])
        return attempt
    }
}
