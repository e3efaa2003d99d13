import SluiceModel
import SluiceSQL
import SluiceStore

/// The attempts that an app made while one of our processes looks on: its SDK says them in the
/// file of the task alone (P6).
struct FolderAttempts {
    let place: FolderPlace
    let queue: String
    let store: SQLiteStore

    /// The ids of the tasks in whose files the SDK counted more attempts than we know, and of those
    /// whose files are gone, damaged or good again. What we wrote ourselves is not among them, so
    /// that nothing is locked for it.
    func changed(in files: Set<String>) throws -> [String] {
        try store.readBlocking { [place] reader in
            let ledger = try TableLedger(of: reader)
            return try files.sorted().compactMap { name in
                let row = try ledger.row(ofID: String(name.dropLast(5))) ?? ledger.row(ofID: name)
                guard let row, row.isListed, row.isWanted, row.due.isEmpty else { return nil }
                let file: TaskFile?
                do { file = try place.taskFile(of: try row.parsedEntry()) } catch is FormatError {
                    file = nil
                }
                let isSame = (file == nil) == (row.file == nil) && file?.runs ?? 0 <= row.runs
                return isSame ? nil : row.id
            }
        }
    }

    /// Records these attempts; the caller holds the lock.
    func take(_ ids: [String], now: Timestamp) throws {
        try store.writeBlocking { [place, queue] writer in
            let ledger = try TableLedger(of: writer)
            let agreement = Reconciliation(
                place: place, queue: queue, now: now, writer: writer, ledger: ledger)
            for id in ids {
                guard let row = try ledger.row(ofID: id), row.isListed, row.isWanted
                else { continue }
                try agreement.checkFile(of: row)
            }
        }
    }
}
