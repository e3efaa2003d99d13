import SluiceCSQLite
import SluiceModel
import SluiceTables

/// How the write-ahead log keeps to the room that its disk has.
extension Connection {
    private static let pageBytes: Int64 = 4096
    private static let pageRange: ClosedRange<Int64> = 32...2000
    /// What stays of a log that grew because somebody read an old state for long. To cut it off
    /// holds up everybody who writes for 40 to 70 ms, so that is for what a disk notices.
    private static let keptBytes: ClosedRange<Int64> = 4 << 20...256 << 20

    /// Lets the log grow to a quarter of the room at most, to half of that where one writes: what
    /// it holds can only be brought into the file where there is room for that, so it must not fill
    /// the disk itself.
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

    /// Brings a log that is large into the file.
    ///
    /// What others commit meanwhile stays behind, so that a log which several write would never be
    /// empty and could not begin anew. One that has grown to twice its pages is therefore brought
    /// in while nobody writes.
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

    /// After the disk was full: brings what the log holds into the file, where there is room by
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
