import SluiceModel
import SluiceStore

/// Makes a store agree with a folder: imports new tasks of the SDK, and removes waiting tasks that
/// the SDK removed (P6).
///
/// Each row records the state at the last agreement and the wanted state, so an interrupted export
/// never looks like a change by the SDK.
struct Reconciliation {
    let place: FolderPlace
    let queue: String
    let now: Timestamp
    let writer: any StoreWriter
    let ledger: any FolderLedger
    /// The numbers under which tasks were already shown.
    var shownAs: [String: TaskID] = [:]

    static let sdk = "Customer.io SDK"

    /// Imports and removes tasks. With `checksFiles`, also reads the files of the other tasks.
    /// Returns whether the inventory must be written again, because a program overwrote it from an
    /// old copy.
    func run(_ inventory: Inventory, checksFiles: Bool) throws -> Bool {
        if let found = inventory.dialect { try take(found) }
        let rows = try ledger.rows()
        let present = Set(inventory.entries.lazy.map(\.id))
        let absent = rows.filter { $0.isListed && $0.isWanted && !present.contains($0.id) }
        // When the SDK removes a task, it also removes the file. An existing file means that the
        // entry was overwritten.
        try removeRows(absent.filter { !place.hasFile(of: $0.id) })
        let overwritten = absent.filter { place.hasFile(of: $0.id) }
        try putBack(overwritten)
        if checksFiles {
            for row in rows where row.isWanted && present.contains(row.id) {
                try checkFile(of: row)
            }
        }
        let (new, hasReturned) = try unknown(inventory, rows)
        try bringIn(new)
        return hasReturned || !overwritten.isEmpty
    }

    private func take(_ found: FolderDialect) throws {
        guard let known = try ledger.dialect() else { return try ledger.setDialect(found) }
        guard known == found else { throw QueueError.otherDialect(place.inventoryPath, found) }
    }

    /// The entries of new tasks, and whether ended tasks have returned. A program with an old copy
    /// restored an ended entry without a file, so it must be removed again.
    private func unknown(
        _ inventory: Inventory, _ rows: [FolderRow]
    ) throws -> (new: [InventoryEntry], hasReturned: Bool) {
        let byID = Dictionary(rows.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        var (new, hasReturned) = ([InventoryEntry](), false)
        for entry in inventory.entries {
            let row = byID[entry.id]
            if let row, row.isListed || row.isWanted || !row.due.isEmpty { continue }
            let isEnded = try row != nil || ledger.hasEnded(entry.id)
            if isEnded, place.filePath(of: entry.id) != nil, !place.hasFile(of: entry.id) {
                hasReturned = true
                continue
            }
            // With a file it is another task of the same id.
            if let row { try ledger.forget(row.task) }
            new.append(entry)
        }
        return (new, hasReturned)
    }

    private func putBack(_ rows: [FolderRow]) throws {
        for var row in rows where !row.due.contains(.inventory) {
            row.due.insert(.inventory)
            try ledger.put(row)
            try recordEvent(
                "restored", row.task,
                "#\(row.task) is in inventory.json again: it was overwritten by a program "
                    + "that had not seen it")
        }
    }

    private func removeRows(_ rows: [FolderRow]) throws {
        try writer.transact(at: now) { mutation in
            for var row in rows {
                guard let task = try writer.task(row.task) else { continue }
                if task.running != nil {
                    row.due.insert(.inventory)
                    try ledger.put(row)
                } else if task.waiting != nil {
                    try mutation.apply(
                        .delete(Deletion(by: Self.sdk, members: .release)), to: task)
                    (row.isListed, row.isWanted, row.due) = (false, false, [])
                    try ledger.put(row)
                    try recordEvent(
                        "deleted", task.id,
                        "#\(task.id) \(task.type) left inventory.json: done, refused or expired "
                            + "in the app")
                }
            }
        }
    }

    private func recordEvent(_ kind: String, _ task: TaskID?, _ text: String) throws {
        try writer.append([
            JournalEvent(
                at: now, kind: kind, queue: queue, task: task, by: Self.sdk, text: text)
        ])
    }
}

/// The files of tasks that stay.
extension Reconciliation {
    func checkFile(of row: FolderRow) throws {
        guard !row.due.contains(.file), let task = try writer.task(row.task),
            let waiting = task.waiting
        else { return }
        var next = row
        do {
            let file = try place.taskFile(of: try row.parsedEntry())
            next.file = SDKText.text(.object(file.rest))
            next.runs = file.runs
            try follow(file, task, waiting, isNew: row.file == nil || row.runs != file.runs)
            if row.file != nil, file.runs > row.runs {
                try recordAttempts(file.runs - row.runs, task)
            }
        } catch let error as FormatError {
            next.file = nil
            if waiting.parking == nil || waiting.parking?.cause == .editing {
                try writer.transact(at: now) { mutation in
                    try mutation.apply(
                        .park(Parking(cause: .missing, detail: error.message, since: now)),
                        to: task)
                }
            }
        }
        if next != row { try ledger.put(next) }
    }

    private func recordAttempts(_ count: Int, _ task: QueueTask) throws {
        let attempts = count == 1 ? "1 attempt" : "\(count) attempts"
        try recordEvent(
            "ranInApp", task.id,
            "#\(task.id) \(task.type) ran in the app without success, \(attempts)")
    }

    private func follow(
        _ file: TaskFile, _ task: QueueTask, _ waiting: Waiting, isNew: Bool
    ) throws {
        let isOther = try writer.payload(of: task.id) != file.payload
        var (task, waiting) = (task, waiting)
        let isParked = waiting.parking?.cause == .missing
        guard isNew || isOther || isParked else { return }
        if isParked || waiting.parking?.cause == .editing { waiting.parking = nil }
        task.state = .waiting(waiting)
        task.attempts = file.runs
        task.executions = max(task.executions, file.runs)
        task.version += 1
        task.updatedAt = now
        // A mutation keeps the images of a checkpoint.
        try writer.transact(at: now) { mutation in
            if isOther { try mutation.store.setPayload(file.payload, of: task.id) }
            try mutation.store.update([task])
        }
    }
}

/// Tasks that come in.
extension Reconciliation {
    private func bringIn(_ entries: [InventoryEntry]) throws {
        guard !entries.isEmpty else { return }
        try ensureQueue(entries[0].dialect)
        try writer.transact(at: now) { mutation in
            try mutation.expectArrivals(in: try writer.requireQueue(queue))
            try insert(entries, at: mutation.now)
        }
    }

    /// `moment` is by the clock of the store.
    private func insert(_ entries: [InventoryEntry], at moment: Timestamp) throws {
        let ids = try numbers(for: entries)
        let record = try writer.queue(named: queue)
        let lastRunEnd = record?.lastRunEnd
        var position = try writer.lastPosition(queue: queue)
        var starts: [String: Bool] = [:]
        var batch: [NewTask] = []
        for (entry, id) in zip(entries, ids) {
            position += positionGap
            var (new, row) = make(entry, id: id, position: position)
            new.task.expiresAt = record?.settings.expiry(of: new.task, from: entry.createdAt)
            new.task.freshAt = max(moment, lastRunEnd.map { $0 + 1 } ?? moment)
            for group in new.task.groupMembers where !new.task.isHeld {
                new.task.isHeld = try hasStart(group, before: position, &starts)
            }
            if let group = new.task.groupStart { starts[group] = true }
            batch.append(new)
            row.isListed = true
            row.isWanted = true
            try ledger.put(row)
        }
        try writer.insert(batch)
        if let one = batch.first, batch.count == 1 {
            try recordEvent("enqueued", one.task.id, "#\(one.task.id) \(one.task.type) came in")
        } else {
            try recordEvent("enqueued", nil, "\(batch.count) tasks of inventory.json came in")
        }
    }

    /// The event's name, the device and the delivery, which distinguish the tasks of one profile.
    private static func summary(_ dialect: FolderDialect) -> SummaryPaths {
        let paths =
            switch dialect {
            case .ios:
                "attributes_json_string.name,attributes_json_string.device.id,device_token,"
                    + "delivery_id,event,payload.delivery_id,payload.event,identifier"
            case .android:
                "event.name,device.id,deviceToken,delivery_id,payload.delivery_id,payload.event,"
                    + "identifier"
            }
        return SummaryPaths(text: paths) ?? SummaryPaths()
    }

    /// Creates the queue if it does not exist, with the SDK's settings and without expiry.
    func ensureQueue(_ dialect: FolderDialect?) throws {
        guard try writer.queue(named: queue) == nil else { return }
        var settings = QueueSettings.preset(named: "customer-io") ?? QueueSettings()
        settings.expiresAfterMilliseconds = nil
        settings.summary = Self.summary(dialect ?? FolderDialect(ofEmptyFolder: place.path))
        try writer.put(QueueRecord(name: queue, settings: settings, createdAt: now))
    }

    /// Numbers for tasks; in a store without any, those under which they were shown.
    private func numbers(for entries: [InventoryEntry]) throws -> [TaskID] {
        let shown = entries.map { shownAs[$0.id] }
        let last = shown.compactMap { $0 }.max() ?? 0
        let unshown = shown.count { $0 == nil }
        var next = try writer.reserveTaskIDs(Int(last) + unshown)
        guard next == 1 else { return entries.indices.map { next + TaskID($0) } }
        next = last
        return shown.map { id in
            if let id { return id }
            next += 1
            return next
        }
    }

    private func hasStart(
        _ group: String, before position: Int64, _ starts: inout [String: Bool]
    ) throws -> Bool {
        if let known = starts[group] { return known }
        let start = try writer.holdingStart(queue: queue, group: group, before: position)
        starts[group] = start != nil
        return start != nil
    }

    private func make(
        _ entry: InventoryEntry, id: TaskID, position: Int64
    ) -> (NewTask, FolderRow) {
        var task = QueueTask(
            id: id, queue: queue, type: Names.composed(entry.type), position: position,
            createdAt: entry.createdAt)
        task.updatedAt = now
        task.groupStart = entry.groupStart.map(Names.composed)
        task.groupMembers = entry.groupMembers.map(Names.composed)
        var row = FolderRow(
            task: id, id: entry.id, entry: entry.text, position: position, file: nil, runs: 0,
            isListed: false, isWanted: false)
        do {
            let file = try place.taskFile(of: entry)
            row.file = SDKText.text(.object(file.rest))
            row.runs = file.runs
            task.attempts = file.runs
            task.executions = file.runs
            return (NewTask(task: task, payload: file.payload), row)
        } catch {
            var waiting = Waiting()
            waiting.parking = Parking(cause: .missing, detail: error.message, since: now)
            task.state = .waiting(waiting)
            return (NewTask(task: task, payload: []), row)
        }
    }
}
