import SluiceModel
package import SluiceStore

/// The tables that an application writes to (T4).
extension TableReader {
    package enum InboxSQL {
        package static let isFresh = Query(
            """
            SELECT EXISTS (SELECT 1 FROM sluice_inbox WHERE error IS NULL)
                OR EXISTS (SELECT 1 FROM sluice_removed WHERE error IS NULL)
            """)
        /// Whether there is any row at all, refused or not.
        static let isUsed = Query(
            """
            SELECT EXISTS (SELECT 1 FROM sluice_inbox) OR EXISTS (SELECT 1 FROM sluice_removed)
            """)
        /// Names of queues with their counts.
        static let queues = Query(
            "SELECT queue, 1 FROM sluice_inbox WHERE error IS NULL ORDER BY id LIMIT ?",
            other: """
                SELECT \(InboxRow.plain("queue")), count(*) FROM (
                    SELECT queue FROM sluice_inbox WHERE error IS NULL ORDER BY id LIMIT ?
                ) AS fresh GROUP BY queue
                """)
        static let removals = Query(
            """
            SELECT count(*) FROM (
                SELECT 1 FROM sluice_removed WHERE error IS NULL ORDER BY id LIMIT ?
            ) AS fresh
            """)
        static let refused = Query(
            "SELECT id, queue, error FROM sluice_inbox WHERE error IS NOT NULL LIMIT ?")
        static let refusedRemovals = Query(
            "SELECT id, queue, error FROM sluice_removed WHERE error IS NOT NULL LIMIT ?")
    }

    package func inboxSummary() throws -> InboxSummary {
        var summary = InboxSummary()
        guard connection.hasInbox, try isInboxUsed() else { return summary }
        let row = try connection.prepare(InboxSQL.queues)
        defer { row.reset() }
        row.bind(InboxSummary.limit)
        while try row.next() { summary.tasks[row.text(0), default: 0] += row.int(1) }
        let removals = try connection.prepare(InboxSQL.removals)
        defer { removals.reset() }
        removals.bind(InboxSummary.limit)
        if try removals.next() { summary.removals = removals.int(0) }
        summary.refused =
            try refusals(InboxSQL.refused, .inbox)
            + refusals(InboxSQL.refusedRemovals, .removed)
        return summary
    }

    private func isInboxUsed() throws(QueueError) -> Bool {
        let row = try connection.prepare(InboxSQL.isUsed)
        defer { row.reset() }
        return try row.next() && row.int(0) != 0
    }

    package func name(of table: InboxEntry.Table) -> String {
        connection.tablePrefix + table.rawValue
    }

    private func refusals(
        _ query: Query, _ table: InboxEntry.Table
    ) throws(QueueError) -> [InboxSummary.Refusal] {
        let row = try connection.prepare(query)
        defer { row.reset() }
        row.bind(InboxSummary.limit / 100)
        var found: [InboxSummary.Refusal] = []
        while try row.next() {
            found.append(
                InboxSummary.Refusal(
                    table: name(of: table), row: row.integer(0), queue: row.optionalText(1),
                    error: row.text(2)))
        }
        return found.sorted { $0.row < $1.row }
    }
}
