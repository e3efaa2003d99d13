import SluiceModel
import SluiceStore

/// What becomes of the rows that an application put into its tables (T4).
extension WriteSession: InboxWriter {
    private enum SQL {
        static let remove = [
            InboxEntry.Table.inbox: Query("DELETE FROM sluice_inbox WHERE id = ?"),
            .removed: Query("DELETE FROM sluice_removed WHERE id = ?"),
        ]
        static let refuse = [
            InboxEntry.Table.inbox: Query("UPDATE sluice_inbox SET error = ? WHERE id = ?"),
            .removed: Query("UPDATE sluice_removed SET error = ? WHERE id = ?"),
        ]
        static let removeRefused = Query(
            """
            DELETE FROM sluice_inbox
            WHERE error IS NOT NULL AND queue = ? AND type = ? AND unique_key = ?
            """)
        static let reopen = [
            "UPDATE sluice_inbox SET error = NULL WHERE error IS NOT NULL",
            "UPDATE sluice_removed SET error = NULL WHERE error IS NOT NULL",
        ].map { Query($0) }
    }

    /// So many bytes of payloads are held at once.
    private static let byteLimit = 8 << 20

    package func inboxEntries(limit: Int) throws -> [InboxEntry] {
        guard connection.hasInbox else { return [] }
        var (tasks, isCut) = try arrivals(limit)
        var removals = try departures(limit)
        // What comes after the end of one of the two lists waits for the rest of that list.
        if isCut, let last = tasks.last { removals.removeAll { $0.after >= last.row } }
        if removals.count == limit, let last = removals.last {
            tasks.removeAll { $0.row > last.after }
        }
        var entries: [InboxEntry] = []
        var rest = removals[...]
        for task in tasks {
            while let first = rest.first, first.after < task.row {
                entries.append(first.entry)
                rest.removeFirst()
            }
            entries.append(task)
        }
        return entries + rest.map(\.entry)
    }

    /// The first tasks that came, and whether there are more.
    private func arrivals(_ limit: Int) throws(QueueError) -> ([InboxEntry], isCut: Bool) {
        let row = try connection.prepare(InboxRow.select)
        defer { row.reset() }
        row.bind(limit)
        var found: [InboxEntry] = []
        var bytes = 0
        while bytes < Self.byteLimit, try row.next() {
            let entry = InboxRow.task(row)
            if case .task(_, let request) = entry.content { bytes += request.payload.count }
            found.append(entry)
        }
        return (found, found.count == limit || bytes >= Self.byteLimit)
    }

    private func departures(
        _ limit: Int
    ) throws(QueueError) -> [(entry: InboxEntry, after: Int64)] {
        let row = try connection.prepare(InboxRow.selectRemovals)
        defer { row.reset() }
        row.bind(limit)
        var found: [(entry: InboxEntry, after: Int64)] = []
        while try row.next() { found.append(InboxRow.removal(row)) }
        return found
    }

    package func removeInboxRow(_ entry: InboxEntry) throws {
        guard let query = SQL.remove[entry.table] else { return }
        try change(query, entry.row)
    }

    package func refuseInboxRow(_ entry: InboxEntry, _ error: String) throws {
        guard let query = SQL.refuse[entry.table] else { return }
        let row = try connection.prepare(query)
        row.bind(error)
        row.bind(entry.row)
        try row.run()
    }

    package func removeRefusedRows(queue: String, type: String, key: String) throws {
        guard connection.hasInbox else { return }
        let row = try connection.prepare(SQL.removeRefused)
        row.bind(queue)
        row.bind(type)
        row.bind(key)
        try row.run()
    }

    package func reopenInbox() throws {
        guard connection.hasInbox else { return }
        for query in SQL.reopen { try connection.prepare(query).run() }
        memory.isInboxEmpty = false
    }
}
