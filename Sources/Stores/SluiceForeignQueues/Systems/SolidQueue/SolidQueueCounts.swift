import SluiceModel

/// The queues of Solid Queue with their counts.
///
/// The tables of unfinished jobs are small. The table of all jobs keeps the finished ones.
struct SolidQueueCounts {
    private let rows: RowSystem
    private var found: [ExactText: ForeignQueue] = [:]

    private init(_ rows: RowSystem) { self.rows = rows }

    /// The counts, of each table up to the limit of its rows.
    static func counted(_ rows: RowSystem) throws -> [ForeignQueue] {
        var counts = SolidQueueCounts(rows)
        let most = rows.countLimits.most
        try counts.add(
            "e.queue_name",
            """
            CASE WHEN e.queue_name LIKE '%\(SolidQueueSystem.skipMark)' THEN 'skipped'
            WHEN EXISTS (SELECT 1 FROM solid_queue_pauses p WHERE p.queue_name = e.queue_name)
            THEN 'held' ELSE 'due' END
            """, "e.created_at AS created FROM \(SolidQueuePlace.ready.table) e", limit: most)
        try counts.add(
            "e.queue_name", "'blocked'",
            "e.created_at AS created FROM \(SolidQueuePlace.blocked.table) e", limit: most)
        let isRetried = RowTable.of("j", RowTable.wasTried)
        for (place, display) in [
            (
                SolidQueuePlace.scheduled,
                "CASE WHEN \(isRetried) THEN 'retrying' ELSE 'delayed' END"
            ), (.claimed, "'running'"), (.failed, "'failed'"),
        ] {
            try counts.add(
                "j.queue_name", display,
                """
                e.created_at AS created FROM \(place.table) e
                JOIN solid_queue_jobs j ON j.id = e.job_id
                """, limit: most)
        }
        try counts.add(
            "j.queue_name", "'succeeded'",
            "j.created_at AS created FROM solid_queue_jobs j WHERE j.finished_at IS NOT NULL",
            limit: rows.countLimits.first)
        return Array(counts.found.values)
    }

    private mutating func add(
        _ name: String, _ display: String, _ question: String, limit: Int
    ) throws {
        let counts = try rows.session.rows(
            """
            SELECT queue, display, count(*) AS n, min(created) AS oldest FROM (
            SELECT \(name) AS queue, \(display) AS display, \(question) LIMIT \(limit + 1)) c
            GROUP BY queue, display
            """)
        let total = counts.reduce(0) { $0 + Int(clamping: $1["n"]?.integer ?? 0) }
        for row in counts {
            guard let display = RowSystem.display(row) else { continue }
            let name = SolidQueueSystem.plain(row["queue"]?.string ?? "")
            var queue = found[name] ?? ForeignQueue(name: name, system: rows.name)
            queue.add(
                min(Int(clamping: row["n"]?.integer ?? 0), limit), display, isBound: total > limit)
            if [.due, .held].contains(display), let moment = RowClock.date.moment(row["oldest"]) {
                queue.oldest = min(queue.oldest ?? moment, moment)
            }
            found[name] = queue
        }
    }
}

extension SolidQueueSystem {
    /// The name of a queue without a mark.
    fileprivate static func plain(_ queue: String) -> String {
        for mark in [skipMark, stepMark] where queue.hasSuffix(mark) {
            return String(queue.dropLast(mark.count))
        }
        return queue
    }
}
