import CSQLite
import QueueModel
import QueueStoreTables

/// How the write-ahead log keeps to the room that its disk has.
extension Connection {
    private static let pageBytes: Int64 = 4096
    private static let logPages: ClosedRange<Int64> = 32...2000

    /// Lets the log grow to a quarter of the room at most: what it holds can only be brought into
    /// the file where there is room for that, so it must not fill the disk itself.
    func fitLog() throws(QueueError) {
        let room = csq_room(path)
        let fitting = room < 0 ? Self.logPages.upperBound : room / 4 / Self.pageBytes
        let pages = min(max(fitting, Self.logPages.lowerBound), Self.logPages.upperBound)
        try execute("PRAGMA wal_autocheckpoint = \(pages)")
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
