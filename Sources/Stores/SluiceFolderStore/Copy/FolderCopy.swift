import SluiceModel
import SluiceSQL
import SluiceStore

/// A copy in memory of what a folder's `sluice.db` holds, so that a folder which is only read can
/// show what the SDK did since.
enum FolderCopy {
    private static let endedLimit = 10_000
    private static let journalLimit = 10_000

    private struct Contents: Sendable {
        var record: StoreRecord
        var queues: [QueueRecord] = []
        var tasks: [(task: NewTask, result: [UInt8]?, attempts: [AttemptRecord])] = []
        var origins: [TaskID: String] = [:]
        var events: [JournalEvent] = []
        var processes: [ProcessRecord] = []
        var permits: [Permit] = []
    }

    /// Copies all unfinished tasks, and a limited number of finished ones and of the newest journal
    /// lines. Renumbers the lines.
    static func make(of store: SQLiteStore) throws -> MemoryStore {
        let contents = try store.readBlocking { try read($0) }
        let copy = MemoryStore(name: store.name, identity: contents.record.identity)
        try copy.writeBlocking { try write(contents, to: $0) }
        return copy
    }

    private static func read(_ reader: any StoreReader) throws -> Contents {
        var contents = Contents(record: try reader.storeRecord())
        contents.queues = try reader.queues()
        contents.processes = try reader.processes()
        contents.permits = try reader.permits()
        for queue in contents.queues {
            for state in TaskState.Name.allCases {
                let isOpen = state == .waiting || state == .running
                let query = TaskQuery(
                    queue: queue.name, state: state, limit: isOpen ? .max : endedLimit)
                for task in try reader.tasks(matching: query) {
                    contents.origins[task.id] = try reader.origin(of: task.id)
                    contents.tasks.append(
                        (
                            NewTask(task: task, payload: try reader.payload(of: task.id) ?? []),
                            try reader.result(of: task.id), try reader.attempts(of: task.id)
                        ))
                }
            }
        }
        contents.events = try reader.journal(
            JournalQuery(limit: journalLimit, withDetail: true)
        ).compactMap { if case .event(let event) = $0 { event } else { nil } }
        return contents
    }

    private static func write(_ contents: Contents, to writer: any StoreWriter) throws {
        try writer.put(contents.record)
        for queue in contents.queues { try writer.put(queue) }
        for process in contents.processes { try writer.put(process) }
        for permit in contents.permits { try writer.put(permit) }
        let last = contents.tasks.map(\.task.task.id).max() ?? 0
        _ = try writer.reserveTaskIDs(Int(last))
        try writer.insert(contents.tasks.map(\.task))
        for (id, origin) in contents.origins { try writer.putOrigin(origin, of: id) }
        for entry in contents.tasks {
            if let result = entry.result { try writer.setResult(result, of: entry.task.task.id) }
            try writer.put(entry.attempts)
        }
        try writer.append(contents.events)
    }
}
