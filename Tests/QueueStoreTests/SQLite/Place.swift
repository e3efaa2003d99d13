import SluiceModel
import SluiceStore
import SluiceSystem

@testable import SluiceSQL

/// A folder with a store in it, gone when the test is over.
final class Place: Sendable {
    let folder: String
    var path: String { "\(folder)/store.db" }

    init() throws { folder = try Files.makeTemporaryDirectory(prefix: "sqlite-test-") }

    deinit { try? Files.removeTree(folder) }

    func open(
        readOnly: Bool = false, createIfMissing: Bool = true, faults: WriteFaults? = nil
    ) throws -> SQLiteStore {
        try SQLiteStore.open(
            path: path, readOnly: readOnly, createIfMissing: createIfMissing,
            durability: .normal, faults: faults, clock: { at(100) })
    }

    /// A store with a queue `q`.
    func openWithQueue(faults: WriteFaults? = nil) throws -> SQLiteStore {
        let store = try open(faults: faults)
        try store.writeBlocking { try $0.put(QueueRecord(name: "q", createdAt: at(0))) }
        return store
    }

    /// Statements by a connection that knows nothing of stores.
    @discardableResult
    func sql(_ statement: String, on path: String? = nil) throws -> [String] {
        let connection = try Connection(path: path ?? self.path, mode: .readWrite)
        return try connection.rows(once: statement) { $0.text(0) }
    }

    /// Every row of every table of the store, as texts.
    func dump() throws -> [String] {
        let tables = try sql(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE 'sluice%'")
        return try tables.flatMap { table in
            let columns = try sql("SELECT name FROM pragma_table_info('\(table)') ORDER BY cid")
            let all = columns.map { "quote(\"\($0)\")" }.joined(separator: " || '|' || ")
            return try sql("SELECT '\(table): ' || \(all) FROM \(table) ORDER BY 1")
        }
    }

    func bytes() throws -> [UInt8] { try Files.read(path, limitBytes: 1 << 26) }
}

extension StoreWriter {
    /// The last position in use, as the tables say.
    func nearestPosition() throws -> Int64? {
        try neighbour(queue: "q", of: .max, isBefore: true)
    }

    /// Adds tasks whose positions are their numbers.
    @discardableResult
    func insertTasks(
        _ count: Int = 1, to queue: String = "q", payload: [UInt8] = [123, 125],
        _ change: (inout QueueTask) -> Void = { _ in }
    ) throws -> [TaskID] {
        let first = try reserveTaskIDs(count)
        let tasks = (first..<first + Int64(count)).map { id in
            var task = QueueTask(
                id: id, queue: queue, type: "mail", position: id, createdAt: at(0))
            change(&task)
            return NewTask(task: task, payload: payload)
        }
        try insert(tasks)
        return tasks.map(\.task.id)
    }
}
