import SluiceModel
import SluiceSQL

/// The rows of a folder in its `sluice.db`.
final class TableLedger: FolderLedger {
    private let session: any TableAccess

    init(_ session: any TableAccess) { self.session = session }

    private enum SQL {
        static let hasTables = TableStatement(
            "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'sluice_folder'",
            columns: 1)
        static let creations = [
            "CREATE TABLE sluice_folder (queue TEXT NOT NULL) STRICT",
            """
            CREATE TABLE sluice_folder_task (
                task INTEGER PRIMARY KEY,
                id TEXT NOT NULL UNIQUE,
                entry TEXT NOT NULL,
                position INTEGER NOT NULL,
                file TEXT,
                runs INTEGER NOT NULL,
                is_listed INTEGER NOT NULL,
                is_wanted INTEGER NOT NULL,
                due INTEGER NOT NULL
            ) STRICT
            """,
            """
            CREATE INDEX sluice_folder_order ON sluice_folder_task (position)
            WHERE is_wanted = 1
            """,
            "CREATE INDEX sluice_folder_due ON sluice_folder_task (due) WHERE due <> 0",
        ].map { TableStatement($0) }
        static let hasEndedTable = TableStatement(
            "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'sluice_folder_ended'",
            columns: 1)
        /// The newest ids of tasks that ended, so that an entry that comes back is known.
        static let createEnded = TableStatement(
            """
            CREATE TABLE IF NOT EXISTS sluice_folder_ended (
                number INTEGER PRIMARY KEY,
                id TEXT NOT NULL UNIQUE,
                task INTEGER NOT NULL
            ) STRICT
            """)
        static let indexEnded = TableStatement(
            """
            CREATE INDEX IF NOT EXISTS sluice_folder_ended_task ON sluice_folder_ended (task)
            """)
        static let endedID = TableStatement(
            """
            SELECT id FROM sluice_folder_ended WHERE task = ?
            AND id NOT IN (SELECT id FROM sluice_folder_task)
            ORDER BY number DESC LIMIT 1
            """, columns: 1)
        static let allEnded = TableStatement(
            "SELECT task, id FROM sluice_folder_ended", columns: 2)
        static let hasEnded = TableStatement(
            "SELECT 1 FROM sluice_folder_ended WHERE id = ?", columns: 1)
        static let rememberEnded = TableStatement(
            """
            INSERT OR REPLACE INTO sluice_folder_ended (id, task)
            SELECT id, task FROM sluice_folder_task WHERE task = ?
            """)
        static let rememberAllEnded = TableStatement(
            """
            INSERT OR REPLACE INTO sluice_folder_ended (id, task)
            SELECT id, task FROM sluice_folder_task WHERE due <> 0 AND due & 8 <> 0
            """)
        static let trimEnded = TableStatement(
            """
            DELETE FROM sluice_folder_ended
            WHERE number <= (SELECT max(number) FROM sluice_folder_ended) - 10000
            """)
        static let hasAndroid = TableStatement(
            "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'sluice_folder_android'",
            columns: 1)
        /// Its presence is the note that the SDK for Android writes the folder.
        static let createAndroid = TableStatement(
            "CREATE TABLE IF NOT EXISTS sluice_folder_android (one INTEGER PRIMARY KEY) STRICT")
        static let anyEntry = TableStatement(
            "SELECT entry FROM sluice_folder_task LIMIT 1", columns: 1)
        static let queue = TableStatement("SELECT queue FROM sluice_folder", columns: 1)
        static let setQueue = TableStatement("INSERT INTO sluice_folder (queue) VALUES (?)")
        static let columns =
            "task, id, entry, position, file, runs, is_listed, is_wanted, due"
        static let row = select("WHERE task = ?")
        static let rowOfID = select("WHERE id = ?")
        static let all = select("ORDER BY position")
        static let due = select("WHERE due <> 0 ORDER BY position")
        static let entries = TableStatement(
            "SELECT entry FROM sluice_folder_task WHERE is_wanted = 1 ORDER BY position",
            columns: 1)
        static let prefix = TableStatement(
            """
            SELECT task FROM sluice_folder_task
            WHERE substr(id, 1, length(?1)) = ?1 COLLATE NOCASE ORDER BY position LIMIT ?2
            """, columns: 1)
        static let put = TableStatement(
            """
            INSERT INTO sluice_folder_task (\(columns))
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (task) DO UPDATE SET id = excluded.id, entry = excluded.entry,
                position = excluded.position, file = excluded.file, runs = excluded.runs,
                is_listed = excluded.is_listed, is_wanted = excluded.is_wanted,
                due = excluded.due
            """)
        static let forget = TableStatement("DELETE FROM sluice_folder_task WHERE task = ?")
        static let agree = TableStatement(
            "UPDATE sluice_folder_task SET is_listed = is_wanted, due = 0 WHERE due <> 0")
        static let end = TableStatement(
            "DELETE FROM sluice_folder_task WHERE due <> 0 AND due & 8 <> 0")

        static func select(_ rest: String) -> TableStatement {
            TableStatement("SELECT \(columns) FROM sluice_folder_task \(rest)", columns: 9)
        }
    }

    /// The name of the folder's queue, or nil while its tasks have not come in.
    func queueName() throws(QueueError) -> String? {
        guard try !session.rows(SQL.hasTables, []).isEmpty else { return nil }
        guard case .text(let name)? = try session.rows(SQL.queue, []).first?.first else {
            return nil
        }
        return name
    }

    /// Makes the tables, for a queue.
    func create(queue: String) throws(QueueError) {
        for statement in SQL.creations { try session.rows(statement, []) }
        try session.rows(SQL.setQueue, [.text(queue)])
        try complete()
    }

    /// Adds what an older Sluice did not make.
    func complete() throws(QueueError) {
        try session.rows(SQL.createEnded, [])
        try session.rows(SQL.indexEnded, [])
    }

    func dialect() throws(QueueError) -> FolderDialect? {
        if try !session.rows(SQL.hasAndroid, []).isEmpty { return .android }
        return try session.rows(SQL.anyEntry, []).isEmpty ? nil : .ios
    }

    func setDialect(_ dialect: FolderDialect) throws(QueueError) {
        guard dialect == .android else { return }
        try session.rows(SQL.createAndroid, [])
    }

    func hasEnded(_ id: String) throws(QueueError) -> Bool {
        guard try remembersEnded() else { return false }
        return try !session.rows(SQL.hasEnded, [.text(id)]).isEmpty
    }

    func endedID(of task: TaskID) throws(QueueError) -> String? {
        guard try remembersEnded(),
            case .text(let id)? = try session.rows(SQL.endedID, [.integer(task)]).first?.first
        else { return nil }
        return id
    }

    /// The remembered ids of ended tasks.
    func endedIDs() throws(QueueError) -> [TaskID: String] {
        guard try remembersEnded() else { return [:] }
        var found: [TaskID: String] = [:]
        for row in try session.rows(SQL.allEnded, []) {
            if case .integer(let task) = row[0], case .text(let id) = row[1] { found[task] = id }
        }
        return found
    }

    /// A folder of an older Sluice that is only read has no such table.
    private func remembersEnded() throws(QueueError) -> Bool {
        try !session.rows(SQL.hasEndedTable, []).isEmpty
    }

    func row(of task: TaskID) throws(QueueError) -> FolderRow? {
        try found(SQL.row, [.integer(task)]).first
    }

    func row(ofID id: String) throws(QueueError) -> FolderRow? {
        try found(SQL.rowOfID, [.text(id)]).first
    }

    func rows() throws(QueueError) -> [FolderRow] { try found(SQL.all, []) }

    func dueRows() throws(QueueError) -> [FolderRow] { try found(SQL.due, []) }

    /// The entries that the inventory has to hold, in their order.
    func wantedEntries() throws(QueueError) -> [String] {
        try session.rows(SQL.entries, []).compactMap { row in
            if case .text(let entry)? = row.first { entry } else { nil }
        }
    }

    func tasks(idPrefix prefix: String, limit: Int) throws(QueueError) -> [TaskID] {
        let rows = try session.rows(SQL.prefix, [.text(prefix), .integer(Int64(limit))])
        return rows.compactMap { row in
            if case .integer(let task)? = row.first { task } else { nil }
        }
    }

    func put(_ row: FolderRow) throws(QueueError) {
        try session.rows(
            SQL.put,
            [
                .integer(row.task), .text(row.id), .text(row.entry), .integer(row.position),
                row.file.map(TableValue.text) ?? .null, .integer(Int64(row.runs)),
                .integer(row.isListed ? 1 : 0), .integer(row.isWanted ? 1 : 0),
                .integer(Int64(row.due.rawValue)),
            ])
    }

    func forget(_ task: TaskID) throws(QueueError) {
        try session.rows(SQL.rememberEnded, [.integer(task)])
        try session.rows(SQL.forget, [.integer(task)])
    }

    /// Notes that the folder has all due exports.
    func agree() throws(QueueError) {
        try session.rows(SQL.rememberAllEnded, [])
        try session.rows(SQL.trimEnded, [])
        try session.rows(SQL.end, [])
        try session.rows(SQL.agree, [])
    }

    private func found(
        _ statement: TableStatement, _ values: [TableValue]
    ) throws(QueueError) -> [FolderRow] {
        var rows: [FolderRow] = []
        for row in try session.rows(statement, values) { rows.append(try Self.read(row)) }
        return rows
    }

    private static func read(_ row: [TableValue]) throws(QueueError) -> FolderRow {
        guard row.count == 9, case .integer(let task) = row[0], case .text(let id) = row[1],
            case .text(let entry) = row[2], case .integer(let position) = row[3],
            case .integer(let runs) = row[5], case .integer(let isListed) = row[6],
            case .integer(let isWanted) = row[7], case .integer(let due) = row[8]
        else { throw FolderRow.damage("a row of sluice_folder_task") }
        var file: String?
        if case .text(let text) = row[4] { file = text }
        return FolderRow(
            task: task, id: id, entry: entry, position: position, file: file, runs: Int(runs),
            isListed: isListed != 0, isWanted: isWanted != 0,
            due: FolderRow.Due(rawValue: Int(due)))
    }
}
