import SluiceModel

/// What the folder knows of a task, or has still to be told of it.
struct FolderRow: Hashable, Sendable {
    /// What must follow a commit.
    struct Due: OptionSet, Hashable, Sendable {
        let rawValue: Int

        /// The task's file has to be written.
        static let file = Due(rawValue: 1)
        /// The inventory has to be written.
        static let inventory = Due(rawValue: 2)
        /// The task's file has to be removed.
        static let removal = Due(rawValue: 4)
        /// The store forgot the task, so the row goes as well.
        static let end = Due(rawValue: 8)
    }

    /// The task.
    var task: TaskID
    /// Its id in the folder: the name of its file.
    var id: String
    /// Its entry as the SDK writes it, unknown keys with it.
    var entry: String
    /// Its place among the entries.
    var position: Int64
    /// The unknown keys of its file as JSON; nil while the file is missing or undecodable.
    var file: String?
    /// `total_runs` of its file.
    var runs: Int
    /// Whether it stands in the inventory as far as the folder and we last agreed.
    var isListed: Bool
    /// Whether it has to stand there: it waits or runs.
    var isWanted: Bool
    /// What has still to be done.
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

/// Where the rows of a folder are kept: in `sluice.db`, or in memory while there is none.
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
    func put(_ row: FolderRow) throws(QueueError)
    /// Forgets a row, and remembers its id among those that ended.
    func forget(_ task: TaskID) throws(QueueError)
}
