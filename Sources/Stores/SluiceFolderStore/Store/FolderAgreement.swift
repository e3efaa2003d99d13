import SluiceModel
import SluiceSQL
import SluiceStore
import SluiceSystem

/// Makes a folder's database agree with an inventory (P6).
struct FolderAgreement {
    let place: FolderPlace
    let options: FolderOptions
    let store: SQLiteStore
    let queue: String

    var projection: Projection {
        Projection(place: place, queue: queue, now: options.clock(), makeID: options.makeID)
    }

    /// Takes in what the SDK did; nil is a folder without an inventory, which is damage where tasks
    /// stood in one. `isFirst` looks at every file too, and takes in what an export that was cut
    /// off had swapped out. Gives whether the inventory has to be written again.
    func take(_ found: Inventory?, isFirst: Bool) throws -> Bool {
        let rows = try store.readBlocking { try TableLedger(of: $0).rows() }
        guard var inventory = found else {
            let listed = rows.count { $0.isListed && $0.isWanted }
            guard listed == 0 else {
                throw QueueError.lostInventory(place.inventoryPath, tasks: listed)
            }
            return false
        }
        let left = isFirst ? try entriesLeftBehind(inventory) : []
        inventory.entries += left
        let present = Set(inventory.entries.lazy.map(\.id))
        place.awaitRemoval(
            ofFiles: rows.lazy.filter {
                $0.isListed && $0.isWanted && !present.contains($0.id)
            }.map(\.id))
        let (projection, whole) = (projection, inventory)
        let mustWrite = try store.writeBlocking { writer in
            let ledger = try TableLedger(of: writer)
            if isFirst { try ledger.complete() }
            let mustWrite = try Reconciliation(
                place: projection.place, queue: queue, now: projection.now, writer: writer,
                ledger: ledger
            ).run(whole, checksFiles: isFirst)
            if isFirst { try projectAll(projection, writer, ledger) }
            return mustWrite
        }
        return mustWrite || !left.isEmpty
    }

    /// Another process may have opened `sluice.db` directly and changed tasks of the folder.
    private func projectAll(
        _ projection: Projection, _ writer: any StoreWriter, _ ledger: TableLedger
    ) throws {
        var all = Set(try ledger.rows().map(\.task))
        for state in [TaskState.Name.waiting, .running] {
            let query = TaskQuery(queue: queue, state: state, limit: .max)
            all.formUnion(try writer.tasks(matching: query).map(\.id))
        }
        try projection.record(all, in: writer, ledger)
    }

    /// Entries that exist only in a leftover of an export: another program added them while this
    /// one crashed. Their files exist without a known task.
    private func entriesLeftBehind(_ inventory: Inventory) throws -> [InventoryEntry] {
        var known = Set(inventory.entries.lazy.map(\.id))
        known.formUnion(
            try store.readBlocking { reader in try TableLedger(of: reader).rows().map(\.id) })
        var found: [InventoryEntry] = []
        for path in try place.leftInventories() {
            // One that is no inventory was cut off while we wrote it: it holds nothing new.
            let left = try? place.displacedInventory(at: path)
            for entry in left?.inventory.entries ?? []
            where place.hasFile(of: entry.id) && known.insert(entry.id).inserted {
                found.append(entry)
            }
        }
        guard !found.isEmpty else { return [] }
        let candidates = found
        return try store.readBlocking { reader in
            let ledger = try TableLedger(of: reader)
            return try candidates.filter { try !ledger.hasEnded($0.id) }
        }
    }
}
