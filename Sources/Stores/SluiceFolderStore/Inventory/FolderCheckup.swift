import SluiceModel
import SluiceStore

/// The checks of `doctor` for a folder (P3): files without an entry, and entries with an unreadable
/// file.
struct FolderCheckup {
    let place: FolderPlace
    let reader: any StoreReader
    let ledger: any FolderLedger

    /// A task's file that no entry names.
    private struct Orphan {
        var name: String
        var id: String
        var content: Result<TaskFile, FormatError>
    }

    /// Who takes orphans in, for the journal.
    private static let person = "doctor"

    /// The problems, one sentence each.
    func problems() throws -> [String] {
        let orphans = try self.orphans().map { orphan in
            "tasks/\(orphan.name) belongs to no entry of inventory.json"
        }
        return try orphans + missing().map { "\($0): \($1.detail)" }
    }

    /// Imports orphaned files into the trash, where `undelete` restores them as tasks, and
    /// schedules missing files with a known payload to be written. Returns the problems.
    func mend(_ writer: any StoreWriter, _ projection: Projection) throws -> [String] {
        var problems: [String] = []
        for orphan in try orphans() {
            problems.append(try takeIn(orphan, writer, projection))
        }
        for (name, parking, task) in try missingTasks() {
            let payload = try writer.payload(of: task.id) ?? []
            guard !payload.isEmpty, try write(task, writer, projection) else {
                problems.append("\(name): \(parking.detail); it stays parked")
                continue
            }
            problems.append("\(name): \(parking.detail); written again from sluice.db")
        }
        return problems
    }
}

/// Files that no entry names.
extension FolderCheckup {
    private func orphans() throws -> [Orphan] {
        let found = try unnamed()
        guard !found.isEmpty else { return [] }
        // The SDK writes a task's file first and its entry immediately afterwards.
        place.awaitEntries()
        let still = Set(try unnamed())
        return found.filter(still.contains).map { name in
            let known = [name, String(name.dropLast(".json".count))]
            var content = Result<TaskFile, FormatError>.failure(FormatError("its file is missing"))
            for id in known {
                content = read(name, id: id)
                if case .success = content { return Orphan(name: name, id: id, content: content) }
            }
            return Orphan(name: name, id: known[1], content: content)
        }
    }

    private func read(_ name: String, id: String) -> Result<TaskFile, FormatError> {
        do throws(FormatError) {
            let path = "\(place.tasksPath)/\(name)"
            guard let file = try place.read(path, limitBytes: FolderPlace.taskFileLimitBytes)
            else { throw FormatError("its file is missing") }
            return .success(try TaskFile(file.bytes, id: id))
        } catch {
            return .failure(error)
        }
    }

    private func unnamed() throws -> [String] {
        let rows = try ledger.rows().filter { $0.isWanted || $0.isListed || !$0.due.isEmpty }
        var known = Set(rows.map(\.id))
        for entry in try place.inventoryFile()?.inventory.entries ?? [] { known.insert(entry.id) }
        let names = Set(known.compactMap { place.filePath(of: $0) })
        return try place.taskFileNames().filter { !names.contains("\(place.tasksPath)/\($0)") }
    }

    private func takeIn(
        _ orphan: Orphan, _ writer: any StoreWriter, _ projection: Projection
    ) throws -> String {
        let problem = "tasks/\(orphan.name) belongs to no entry of inventory.json"
        guard case .success(let file) = orphan.content, !orphan.id.isEmpty,
            place.filePath(of: orphan.id) != nil, Names.isValid(file.type)
        else {
            if case .failure(let error) = orphan.content {
                return "\(problem), and cannot be taken in: \(error.message)"
            }
            return "\(problem), and cannot be taken in: its names are not allowed"
        }
        for row in try ledger.rows() where row.id == orphan.id { try ledger.forget(row.task) }
        let id = try writer.reserveTaskIDs(1)
        let last = try writer.lastPosition(queue: projection.queue)
        var task = QueueTask(
            id: id, queue: projection.queue, type: file.type, position: last + positionGap,
            createdAt: projection.now)
        task.attempts = file.runs
        task.executions = file.runs
        task.state = .deleted(
            Trash(
                at: projection.now, by: Self.person, former: .waiting(Waiting()),
                startPolicy: nil))
        var row = FolderRow(
            task: id, id: orphan.id,
            entry: InventoryEntry(id: orphan.id, task: task, file.dialect).text,
            position: task.position, file: SDKText.text(.object(file.rest)), runs: file.runs,
            isListed: false, isWanted: false)
        row.due = .removal
        try writer.insert([NewTask(task: task, payload: file.payload)])
        try ledger.put(row)
        try writer.append([
            JournalEvent(
                at: projection.now, kind: "deleted", queue: projection.queue, task: id,
                by: Self.person, text: "\(problem): it is #\(id) in the trash now")
        ])
        return "\(problem): it is #\(id) in the trash now, sluice undelete \(id) brings it in"
    }
}

/// Entries with an unreadable file.
extension FolderCheckup {
    private func missing() throws -> [(String, Parking)] {
        try missingTasks().map { ($0.name, $0.parking) }
    }

    private func missingTasks() throws -> [(name: String, parking: Parking, task: QueueTask)] {
        try ledger.rows().filter { $0.isWanted && $0.file == nil }.compactMap { row in
            guard let task = try reader.task(row.task), let parking = task.waiting?.parking,
                parking.cause == .missing
            else { return nil }
            return ("#\(task.id) \(task.type) (\(row.id))", parking, task)
        }
    }

    /// Lets a missing file be written from what the store knows; false where something else has its
    /// name.
    private func write(
        _ task: QueueTask, _ writer: any StoreWriter, _ projection: Projection
    ) throws -> Bool {
        guard var row = try ledger.row(of: task.id), place.filePath(of: row.id) != nil,
            !place.hasFile(of: row.id), var waiting = task.waiting
        else { return false }
        waiting.parking = nil
        var task = task
        task.state = .waiting(waiting)
        task.version += 1
        task.updatedAt = projection.now
        row.file = "{}"
        row.due.insert(.file)
        try writer.update([task])
        try ledger.put(row)
        return true
    }
}
