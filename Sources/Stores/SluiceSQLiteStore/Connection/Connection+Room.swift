import SluiceCSQLite
import SluiceModel
import SluiceTables

/// How the write-ahead log keeps to the room that its disk has.
extension Connection {
    private static let pageBytes: Int64 = 4096
    private static let pageRange: ClosedRange<Int64> = 32...2000
    /// The size kept of a log that grew during a long read. Truncating it blocks all writers for 40
    /// to 70 ms, so this happens only for sizes that matter on a disk.
    private static let keptBytes: ClosedRange<Int64> = 4 << 20...256 << 20

    /// Limits the log to a quarter of the free space, and to half of that for a single writer. A
    /// checkpoint needs as much free space as the log has, so the log must not fill the disk.
    func fitLog() throws(QueueError) {
        let room = csq_room(path)
        let fitting = room < 0 ? .max : room / 4
        let pages = min(
            max(fitting / 2 / Self.pageBytes, Self.pageRange.lowerBound), Self.pageRange.upperBound)
        let kept = min(max(fitting, Self.keptBytes.lowerBound), Self.keptBytes.upperBound)
        logPages = Int32(pages)
        try execute("PRAGMA journal_size_limit = \(kept)")
    }

    /// Hears after each commit how large the log is.
    func watchLog() {
        sqlite3_wal_hook(
            database,
            { context, _, _, pages in
                guard let context else { return SQLITE_OK }
                let connection = Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue()
                connection.logGrew(to: pages)
                return SQLITE_OK
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Checkpoints a large log.
    ///
    /// Other commits during a checkpoint remain in the log, so a log with several writers would
    /// never become empty and restart. At twice its limit it is therefore checkpointed with writers
    /// blocked.
    private func logGrew(to pages: Int32) {
        guard pages >= logPages else { return }
        let isWhole = pages >= 2 * logPages
        busyWait.isImpatient = true
        defer { busyWait.isImpatient = false }
        // A log that stays loses nothing: the next commit tries again.
        _ = sqlite3_wal_checkpoint_v2(
            database, "main", isWhole ? SQLITE_CHECKPOINT_RESTART : SQLITE_CHECKPOINT_PASSIVE, nil,
            nil)
    }

    /// After the disk was full: brings what the log holds into the file, if there is room by
    /// now, and gives back the log's.
    func relieve() {
        guard hasRunFull else { return }
        busyWait.isImpatient = true
        defer { busyWait.isImpatient = false }
        do {
            _ = try rows(once: "PRAGMA wal_checkpoint(TRUNCATE)") { $0.int(0) }
            try fitLog()
            hasRunFull = false
        } catch {
            // There is still no room: the write that comes next says so.
        }
    }
}
