import SluiceModel
import SluiceSystem

/// The rows of a folder that has no `sluice.db` yet.
final class MemoryLedger: FolderLedger, Sendable {
    private let all = Protected<[TaskID: FolderRow]>([:])
    private let spelling = Protected<FolderDialect?>(nil)
    private let ended = Protected<(ids: Set<String>, names: [TaskID: String])>(([], [:]))

    func dialect() -> FolderDialect? { spelling.withLock { $0 } }

    func setDialect(_ dialect: FolderDialect) { spelling.withLock { $0 = dialect } }

    func row(of task: TaskID) -> FolderRow? { all.withLock { $0[task] } }

    func row(ofID id: String) -> FolderRow? {
        all.withLock { $0.values.first { $0.id == id } }
    }

    func rows() -> [FolderRow] {
        all.withLock { $0.values.sorted { $0.position < $1.position } }
    }

    func tasks(idPrefix prefix: String, limit: Int) -> [TaskID] {
        let wanted = prefix.lowercased()
        let found = rows().filter { $0.id.lowercased().hasPrefix(wanted) }
        return found.prefix(limit).map(\.task)
    }

    func hasEnded(_ id: String) -> Bool { ended.withLock { $0.ids.contains(id) } }

    func endedID(of task: TaskID) -> String? {
        guard let id = ended.withLock({ $0.names[task] }) else { return nil }
        return all.withLock { $0.values.contains { $0.id == id } } ? nil : id
    }

    /// Takes over the names of tasks that ended elsewhere.
    func remember(_ names: [TaskID: String]) { ended.withLock { $0.names.merge(names) { $1 } } }

    func put(_ row: FolderRow) { all.withLock { $0[row.task] = row } }

    func forget(_ task: TaskID) {
        guard let row = all.withLock({ $0.removeValue(forKey: task) }) else { return }
        ended.withLock { ended in
            ended.ids.insert(row.id)
            ended.names[task] = row.id
        }
    }
}
