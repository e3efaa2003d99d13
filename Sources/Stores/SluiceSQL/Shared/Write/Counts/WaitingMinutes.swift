import SluiceModel
import SluiceStore

/// Keeps how many tasks of a queue waited at the beginning of a minute, before the first commit
/// that changes it. The count is constant from a commit to the next minute with a row.
///
/// The rows have a class of their own in the table of waits. Older programs do not read that class.
struct WaitingMinutes {
    private static let code = -1
    private var minute: Int64?
    private var isInBody = false
    /// The queues with a row for the minute.
    private var kept: Set<Int64> = []
    /// The queues in `kept` with an uncommitted row.
    private var uncommitted: Set<Int64> = []

    private static let put = Query(
        """
        INSERT INTO sluice_waited (queue, class, slot, minute, s0, s1, s2, s3, s4, s5)
        SELECT CAST(? AS BIGINT), \(code), CAST(? AS BIGINT), CAST(? AS BIGINT),
            coalesce(sum(n), 0), 0, 0, 0, 0, 0
        FROM sluice_tally WHERE queue = ? AND state = ?
        ON CONFLICT (queue, class, slot) DO UPDATE
        SET minute = excluded.minute, s0 = excluded.s0
        WHERE excluded.minute > sluice_waited.minute
        """)

    /// The minutes with a row and their counts.
    static let select = Query(
        """
        SELECT minute, s0 FROM sluice_waited
        WHERE queue = ? AND class = \(code) AND minute >= ?
        """)

    mutating func begin(at moment: Timestamp) {
        isInBody = true
        let now = EndedCounts.minute(of: moment)
        guard minute != now else { return }
        minute = now
        kept.removeAll()
        uncommitted.removeAll()
    }

    /// The queue's tallies are about to change.
    mutating func keep(
        _ queue: Int64, _ connection: any TableConnection
    ) throws(QueueError) {
        guard isInBody, let minute, kept.insert(queue).inserted else { return }
        uncommitted.insert(queue)
        let row = try connection.prepare(Self.put)
        row.bind(queue)
        row.bind(minute & Int64(EndedCounts.keptMinutes - 1))
        row.bind(minute)
        row.bind(queue)
        row.bind(TaskState.Name.waiting.code)
        try row.run()
    }

    /// The commit was undone, or is about to begin.
    mutating func forget() {
        kept.subtract(uncommitted)
        uncommitted.removeAll()
    }

    /// The commit is over.
    mutating func rest() {
        isInBody = false
        uncommitted.removeAll()
    }
}
