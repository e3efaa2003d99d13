import SluiceModel
import SluiceStore
import SluiceSystem

/// Notes in a commit what of it has to follow into the folder (P6).
struct Projection {
    let place: FolderPlace
    let queue: String
    let now: Timestamp
    let makeID: @Sendable () -> String

    /// Brings the rows of tasks up to what the store says of them now. `repaid` are those whose
    /// payload is another, `wishes` the ids that new ones shall have.
    func record(
        _ tasks: some Sequence<TaskID>, repaid: Set<TaskID> = [], wishes: [TaskID: String] = [:],
        in writer: any StoreWriter,
        _ ledger: any FolderLedger
    ) throws {
        for id in tasks.sorted() {
            let row = try ledger.row(of: id)
            guard let task = try writer.task(id), task.queue == queue else {
                if let row { try retire(row, ledger) }
                continue
            }
            guard var next = try row ?? fresh(task, wishes[id], ledger) else { continue }
            let former = try next.parsedEntry()
            if former.dialect == .android, row == nil || repaid.contains(id) {
                try refuseBinary(task, writer)
            }
            next.entry = former.following(task).text
            next.position = task.position
            next.runs = task.attempts
            let isOther = repaid.contains(id) || former.type != task.type
            want(task.isUnended, &next, before: row, fileChanges: isOther)
            if next.isWanted, next.file == nil {
                if repaid.contains(id) {
                    try replaceFile(&next)
                } else {
                    try lookAgain(task, &next, writer)
                }
            }
            if next != row { try ledger.put(next) }
        }
    }

    /// A row for a task that the SDK has not seen, or that comes again after its end and has its id
    /// again; an ended one needs none.
    private func fresh(
        _ task: QueueTask, _ wish: String?, _ ledger: any FolderLedger
    ) throws -> FolderRow? {
        guard task.isUnended else { return nil }
        let known = try ledger.dialect()
        let dialect = known ?? FolderDialect(ofEmptyFolder: place.path)
        if known == nil { try ledger.setDialect(dialect) }
        let id = try wish ?? ledger.endedID(of: task.id) ?? dialect.id(makeID())
        return FolderRow(
            task: task.id, id: id, entry: InventoryEntry(id: id, task: task, dialect).text,
            position: task.position, file: "{}", runs: task.attempts, isListed: false,
            isWanted: false)
    }

    /// A payload is a text in the files of the SDK for Android.
    private func refuseBinary(_ task: QueueTask, _ writer: any StoreWriter) throws {
        let payload = try writer.payload(of: task.id) ?? []
        guard FolderDialect.android.data(payload) == nil else { return }
        throw QueueError(
            .badValue, "the payload of #\(task.id) \(task.type) is no UTF-8",
            fix: "the SDK for Android keeps payloads as texts: give it JSON")
    }

    /// Updates the due writes for a task that waits, runs or has ended.
    private func want(
        _ isWanted: Bool, _ next: inout FolderRow, before row: FolderRow?, fileChanges: Bool
    ) {
        let wasWanted = next.isWanted
        next.isWanted = isWanted
        switch (wasWanted, isWanted) {
        case (false, true):
            next.due.subtract([.removal, .end])
            next.due.insert(.inventory)
            if next.file != nil { next.due.insert(.file) }
        case (true, false):
            next.due.remove(.file)
            next.due.insert(.inventory)
            if next.file != nil { next.due.insert(.removal) }
        case (true, true):
            if next.entry != row?.entry || next.position != row?.position {
                next.due.insert(.inventory)
            }
            if next.file != nil, fileChanges || next.runs != row?.runs { next.due.insert(.file) }
        case (false, false): break
        }
    }

    /// The store forgot the task, or moved it to another queue.
    private func retire(_ row: FolderRow, _ ledger: any FolderLedger) throws {
        var row = row
        want(false, &row, before: row, fileChanges: false)
        if row.due.isEmpty { return try ledger.forget(row.task) }
        row.due.insert(.end)
        try ledger.put(row)
    }

    /// A person gave a payload to a task without a file: it gets one.
    private func replaceFile(_ row: inout FolderRow) throws {
        guard let path = place.filePath(of: row.id),
            place.status(path).map({ $0.kind == .file }) ?? true
        else {
            throw QueueError.notLegal(
                "the file of the task \(row.id) cannot be written: its name is no safe one or is "
                    + "taken", fix: "delete the task and enqueue another")
        }
        row.file = "{}"
        row.due.insert(.file)
    }

    /// A task that is to run although its file could not be read: looks once more, and parks it
    /// again where it is as before.
    private func lookAgain(
        _ task: QueueTask, _ row: inout FolderRow, _ writer: any StoreWriter
    ) throws {
        guard var waiting = task.waiting, waiting.parking == nil else { return }
        var task = task
        do {
            let file = try place.taskFile(of: try row.parsedEntry())
            try writer.setPayload(file.payload, of: task.id)
            row.file = SDKText.text(.object(file.rest))
            row.runs = file.runs
            task.attempts = file.runs
            task.executions = max(task.executions, file.runs)
        } catch let error as FormatError {
            waiting.parking = Parking(cause: .missing, detail: error.message, since: now)
            task.state = .waiting(waiting)
        }
        task.version += 1
        try writer.update([task])
    }
}

extension QueueTask {
    /// Whether the task waits or runs, so that the inventory contains it.
    var isUnended: Bool { waiting != nil || running != nil }
}
