import SluiceSystem

/// Who kept a transaction waiting for a lock until it gave up.
struct ServerBlocker {
    /// The locked table, or `nil` for the writers' turn.
    var table: String?
    /// The server's process that holds the lock, and what calls itself so.
    var process: Int64
    var program: String

    /// Queries on a new connection, because the waiting one is blocked. `nil` if the lock is free
    /// again.
    init?(_ settings: PostgresSettings, schema: String, waiter: Int32) {
        let sql = """
            SELECT coalesce(c.relname, ''), l.pid, coalesce(a.application_name, '')
            FROM pg_catalog.pg_locks l
            LEFT JOIN pg_catalog.pg_class c ON c.oid = l.relation
            LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
            LEFT JOIN pg_catalog.pg_stat_activity a ON a.pid = l.pid
            WHERE l.granted AND l.pid NOT IN (pg_backend_pid(), \(waiter))
                AND l.database = (SELECT d.oid FROM pg_catalog.pg_database d
                    WHERE d.datname = current_database())
                AND (n.nspname = '\(schema)' AND c.relkind = 'r' AND l.mode IN (
                        'AccessExclusiveLock', 'ExclusiveLock', 'ShareRowExclusiveLock',
                        'ShareLock')
                    OR l.locktype = 'advisory' AND l.classid = \(ServerLocks.writers)
                        AND l.objid::bigint = hashtext('\(schema)')::bigint & 4294967295)
            ORDER BY c.relname IS NULL, l.mode LIMIT 1
            """
        guard let rows = try? Self.rows(sql, settings), rows.count == 1 else { return nil }
        let name = rows.text(0, 0)
        table = name.isEmpty ? nil : name
        process = rows.integer(0, 1)
        program = rows.text(0, 2)
    }

    private static func rows(
        _ sql: String, _ settings: PostgresSettings
    ) throws(PostgresError) -> PostgresRows {
        let link = try PostgresConnection(settings)
        try link.send("BEGIN")
        try link.send(ServerCommands.local())
        return try link.rows(sql)
    }
}
