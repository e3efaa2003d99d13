import SluiceModel

/// The highest position ever used in each queue; a new task takes the next one (Q1).
///
/// It is stored under queue 0 of the tallies, which is no queue, and only grows. So it holds
/// without reading tasks, even after removals.
package struct LastPositions {
    private static let rows = "queue = 0 AND state = 1"

    /// Reads the position of one queue.
    static let one = Query("SELECT n FROM sluice_tally WHERE \(rows) AND lane = ?")
    /// Drops the row of a removed queue.
    static let removal = Query(
        .delete(from: "sluice_tally", where: ["lane"], numbers: ["queue": 0, "state": 1]))
    /// How many are before a task that is there.
    static let wrong = Query(
        """
        SELECT CAST(count(*) AS DOUBLE PRECISION)
        FROM (SELECT queue, max(position) AS last FROM sluice_task GROUP BY queue) AS used
        WHERE last > coalesce((
            SELECT n FROM sluice_tally y WHERE y.\(rows) AND y.lane = used.queue), 0)
        """)
    /// Raises them to at least the highest position of an existing task.
    static let mend = Query(
        """
        INSERT INTO sluice_tally (queue, state, lane, n)
        SELECT 0, 1, queue, max(position) FROM sluice_task WHERE position > 0 GROUP BY queue
        ON CONFLICT (queue, state, lane) DO UPDATE SET n = excluded.n
        WHERE excluded.n > sluice_tally.n
        """)

    private var known: [Int64: Int64] = [:]
    private var raised: [Int64: Int64] = [:]

    /// The position of a queue; `stored` reads it from the tables.
    mutating func last(
        of queue: Int64, stored: () throws(QueueError) -> Int64
    ) throws(QueueError) -> Int64 {
        if let last = known[queue] { return last }
        let last = max(try stored(), raised[queue] ?? 0)
        known[queue] = last
        return last
    }

    /// Records a task at this position.
    mutating func raise(to position: Int64, of queue: Int64) {
        if let last = known[queue] {
            guard position > last else { return }
            known[queue] = position
        }
        raised[queue] = max(raised[queue] ?? 0, position)
    }

    mutating func forget(queue: Int64) { (known[queue], raised[queue]) = (nil, nil) }

    mutating func write(_ connection: any TableConnection) throws(QueueError) {
        for (queue, last) in raised {
            let row = try connection.prepare(Tallies.put)
            row.bind(0)
            row.bind(1)
            row.bind(queue)
            row.bind(last)
            try row.run()
        }
        raised.removeAll(keepingCapacity: true)
    }
}
