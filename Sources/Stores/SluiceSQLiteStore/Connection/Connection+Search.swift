import SluiceCSQLite
import SluiceModel
import SluiceStore
import SluiceTables

/// Scans of rows in storage order; the statement filters them internally.
extension Connection {
    private enum SQL {
        static let rows = Query(
            """
            SELECT t.id FROM sluice_task t
            WHERE t.id BETWEEN ?1 AND ?2 AND sluice_hunt(?3, t.queue, t.lane, coalesce(
                t.payload, (SELECT p.payload FROM sluice_payload p WHERE p.task = t.id)))
            ORDER BY t.id
            """)
        /// With the other texts of a task that people read; `detail` last.
        static let rowsWithTexts = Query(
            """
            SELECT t.id FROM sluice_task t
            WHERE t.id BETWEEN ?1 AND ?2 AND sluice_hunt(?3, t.queue, t.lane, coalesce(
                t.payload, (SELECT p.payload FROM sluice_payload p WHERE p.task = t.id)),
                t.type, t.label, t.group_start, t.last_error, t.client_string, t.detail)
            ORDER BY t.id
            """)
    }

    func look(_ scan: RowScan) throws(QueueError) -> RowFinding? {
        try defineRowScan()
        let row = try statement(of: scan.condition.asksTexts ? SQL.rowsWithTexts : SQL.rows)
        defer { row.reset() }
        row.bind(scan.numbers.lowerBound)
        row.bind(scan.numbers.upperBound)
        return try row.look(scan)
    }
}
