import SluiceCSQLite
import SluiceModel
import SluiceStore
import SluiceTables

/// Looking through rows as they lie. What is not wanted is passed over inside the statement, and
/// the pages are read where the system keeps them, without a copy of each.
extension Connection {
    private enum SQL {
        static let rows = Query(
            """
            SELECT t.id FROM sluice_task t
            WHERE t.id BETWEEN ?1 AND ?2 AND sluice_hunt(?3, t.queue, t.lane, coalesce(
                t.payload, (SELECT p.payload FROM sluice_payload p WHERE p.task = t.id)))
            ORDER BY t.id
            """)
        /// With what a person reads of a task beside its payload; `detail` last.
        static let rowsWithTexts = Query(
            """
            SELECT t.id FROM sluice_task t
            WHERE t.id BETWEEN ?1 AND ?2 AND sluice_hunt(?3, t.queue, t.lane, coalesce(
                t.payload, (SELECT p.payload FROM sluice_payload p WHERE p.task = t.id)),
                t.type, t.label, t.group_start, t.last_error, t.client_string, t.detail)
            ORDER BY t.id
            """)
    }

    /// As much of a file as SQLite takes in at once; what lies behind is read as ever.
    private static let mappedBytes = 0x7FFF_0000

    func look(_ hunt: RowScan) throws(QueueError) -> RowFinding? {
        try defineHunt()
        // Only for as long as it looks: the memory of a console does not grow with its store, and
        // a file that somebody cuts off meanwhile is a matter of milliseconds.
        if isWriteProtected { try execute("PRAGMA mmap_size = \(Self.mappedBytes)") }
        let finding = Result { () throws(QueueError) in try found(hunt) }
        if isWriteProtected { try execute("PRAGMA mmap_size = 0") }
        return try finding.get()
    }

    private func found(_ hunt: RowScan) throws(QueueError) -> RowFinding {
        let row = try statement(of: hunt.condition.asksTexts ? SQL.rowsWithTexts : SQL.rows)
        defer { row.reset() }
        row.bind(hunt.numbers.lowerBound)
        row.bind(hunt.numbers.upperBound)
        return try row.look(hunt)
    }
}
