import SluiceFolderStore
import SluiceModel
import SluiceStore
import SluiceSystem

/// The files of a folder, read by hand: what its SDK would find there.
struct FolderFiles {
    private let path: String

    init(_ path: String) { self.path = path }

    /// The differences between the files and queue `q` in the store. Empty while the disk rejects
    /// an export.
    func contradictions(to store: FolderStore) throws -> [String] {
        guard store.exportFailure == nil else { return [] }
        let (wanted, ids) = try store.readBlocking { reader in
            let waiting = TaskQuery(queue: "q", state: .waiting, limit: 100_000)
            let running = TaskQuery(queue: "q", state: .running, limit: 100_000)
            let tasks = try (reader.tasks(matching: waiting) + reader.tasks(matching: running))
                .sorted { $0.position < $1.position }
            let naming = reader as? any TaskNaming
            return (tasks, try tasks.map { try naming?.folderID(of: $0.id) ?? "?" })
        }
        let entries = try value("inventory.json").array ?? []
        guard entries.count == wanted.count else {
            return ["\(entries.count) entries and not \(wanted.count)"]
        }
        var found: [String] = []
        for (entry, (task, id)) in zip(entries, zip(wanted, ids)) {
            if entry != Self.entry(of: task, id) { found.append("\(entry.text) of #\(task.id)") }
            let file = try value("tasks/\(id).json")
            let isOf =
                file["storage_id"]?.string == id && file["type"]?.string == task.type
                && file["run_results"]?["total_runs"]?.integer == Int64(task.attempts)
            if !isOf { found.append("\(file.text) of #\(task.id)") }
        }
        let names = try Files.exists("\(path)/tasks") ? Files.list("\(path)/tasks") : []
        if names != ids.map({ "\($0).json" }).sorted() { found.append("files \(names)") }
        return found
    }

    private func value(_ name: String) throws -> JSONValue {
        try JSONValue.parse(Files.read("\(path)/\(name)", limitBytes: 1 << 26))
    }

    private static func entry(of task: QueueTask, _ id: String) -> JSONValue {
        // The SDK sorts its keys.
        var entry: JSONObject = ["created_at": .integer(task.createdAt.milliseconds / 1000)]
        if !task.groupMembers.isEmpty { entry["group_member"] = JSONValue(task.groupMembers) }
        entry["group_start"] = task.groupStart.map(JSONValue.string)
        entry["task_persisted_id"] = .string(id)
        entry["task_type"] = .string(task.type)
        return .object(entry)
    }
}
