import SluiceModel

/// The folder's state for a task: the last agreement, and due changes.
struct FolderRow: Hashable, Sendable {
    /// The writes that must follow a commit.
    struct Due: OptionSet, Hashable, Sendable {
        let rawValue: Int

        /// Write the task's file.
        static let file = Due(rawValue: 1)
        static let inventory = Due(rawValue: 2)
        /// Remove the task's file.
        static let removal = Due(rawValue: 4)
        /// The store forgot the task, so the row goes as well.
        static let end = Due(rawValue: 8)
    }

    var task: TaskID
    /// Its id in the folder: the name of its file.
    var id: String
    /// Its entry as written by the SDK, including unknown keys.
    var entry: String
    /// Its place among the entries.
    var position: Int64
    /// The unknown keys of its file as JSON; nil while the file is missing or undecodable.
    var file: String?
    /// `total_runs` of its file.
    var runs: Int
    /// Whether the inventory contained it at the last agreement.
    var isListed: Bool
    /// Whether the inventory must contain it, since it waits or runs.
    var isWanted: Bool
    var due: Due = []
}

extension FolderRow {
    /// The entry, taken apart.
    func parsedEntry() throws(QueueError) -> InventoryEntry {
        do {
            return try InventoryEntry(try JSONValue.parse(entry))
        } catch {
            throw Self.damage("the entry of \(id): \(error)")
        }
    }

    /// The unknown keys of the file.
    func parsedFile() throws(QueueError) -> JSONObject {
        guard let file else { return JSONObject() }
        do {
            return try JSONValue.parse(file).object ?? JSONObject()
        } catch {
            throw Self.damage("the file of \(id): \(error)")
        }
    }

    static func damage(_ what: String) -> QueueError {
        QueueError(
            .damagedStore, "sluice.db cannot be read: \(what)",
            fix: "copy it away; without it the folder opens as the SDK left it")
    }
}

/// The storage of a folder's rows: `sluice.db`, or memory before that file exists.
protocol FolderLedger: AnyObject {
    func row(of task: TaskID) throws(QueueError) -> FolderRow?
    func row(ofID id: String) throws(QueueError) -> FolderRow?
    func rows() throws(QueueError) -> [FolderRow]
    /// The tasks whose id begins with a text, capitals or not, at most `limit`.
    func tasks(idPrefix prefix: String, limit: Int) throws(QueueError) -> [TaskID]
    /// Whether a task with this id stood in the folder once, ended, and has no row any more.
    func hasEnded(_ id: String) throws(QueueError) -> Bool
    /// The id of a task that ended and has no row any more, while it is remembered and no other
    /// task has it.
    func endedID(of task: TaskID) throws(QueueError) -> String?
    /// The SDK that writes the folder; nil before its first task.
    func dialect() throws(QueueError) -> FolderDialect?
    func setDialect(_ dialect: FolderDialect) throws(QueueError)
    func put(_ row: FolderRow) throws(QueueError)
    /// Deletes a row, and remembers its id as ended.
    func forget(_ task: TaskID) throws(QueueError)
}
