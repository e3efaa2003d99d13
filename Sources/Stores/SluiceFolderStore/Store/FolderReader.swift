import SluiceModel
import SluiceStore

/// The reader of a folder: the store's reader with task names.
class FolderReader: ForwardingReader, TaskNaming {
    let reader: any StoreReader
    let ledger: any FolderLedger
    let place: FolderPlace

    init(_ reader: any StoreReader, ledger: any FolderLedger, place: FolderPlace) {
        self.reader = reader
        self.ledger = ledger
        self.place = place
    }

    func folderID(of task: TaskID) throws -> String? {
        if let row = try ledger.row(of: task) { return row.id }
        // A task that moved to another queue has left the folder and has only a number.
        return try reader.task(task) == nil ? try ledger.endedID(of: task) : nil
    }

    func hasUnknownKeys(_ task: TaskID) throws -> Bool {
        guard let row = try ledger.row(of: task) else { return false }
        let isKnownFile = try row.parsedFile().isEmpty
        return try !isKnownFile || !row.parsedEntry().rest.isEmpty
    }

    func tasks(folderIDPrefix prefix: String, limit: Int) throws -> [TaskID] {
        try ledger.tasks(idPrefix: prefix, limit: limit)
    }

    var naming: (any TaskNaming)? { self }
    /// Nil: an inbox in `sluice.db` would not follow into the folder.
    var inboxReader: (any InboxReader)? { nil }
    var rowSearch: (any RowSearching)? { nil }
    func slotOffers() throws -> [SlotOffer] { [] }

    func visitQueuesInUse(_ body: (SharedQueue) throws -> Bool) throws {
        try reader.visitQueuesInUse(body)
    }

    /// The id in the folder, where the store has noted no other.
    func origin(of id: TaskID) throws -> String? {
        if let noted = try reader.origin(of: id) { return noted }
        return try ledger.row(of: id)?.id
    }

    func task(ofOrigin origin: String) throws -> TaskID? {
        if let noted = try reader.task(ofOrigin: origin) { return noted }
        if let row = try ledger.row(ofID: origin) { return row.task }
        return try ledger.hasEnded(origin) ? 0 : nil
    }

    func problems(_ check: StoreCheck) throws -> [String] {
        guard check == .surroundings else { return try reader.problems(check) }
        return try FolderCheckup(place: place, reader: self, ledger: ledger).problems()
    }
}
