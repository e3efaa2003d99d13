/// The statements of a connection around the queries of a transaction.
struct ServerCommands {
    let schema: String
    /// Whether a pooler is in between, so that settings end with the transaction.
    let isPooled: Bool
    /// The store that was opened, which another one may have followed under the same name; nil
    /// while that is not known.
    var identity: String?

    /// The time limits and plan settings of the server.
    ///
    /// Every query reads a range of one index in any state of the tables. So each statement is
    /// planned once, and statistics of a moment (an empty queue, a new store) do not change the
    /// plan.
    var limits: String {
        let kinds = [
            Self.ownNamesAlone, ("statement_timeout", "\(ServerLimits.statementSeconds)s"),
            ("idle_in_transaction_session_timeout", "\(ServerLimits.idleSeconds)s"),
            ("lock_timeout", "\(ServerLimits.lockSeconds)s"),
            ("plan_cache_mode", "force_generic_plan"),
            ("enable_seqscan", "off"), ("enable_bitmapscan", "off"), ("jit", "off"),
        ]
        return Self.setting(kinds, isLocal: isPooled)
    }

    /// Names without a schema mean the server's own. The search path of the role or database has no
    /// effect, nor do functions, operators or types created there. Tables name their schema.
    /// Statements before this setting name `pg_catalog` explicitly.
    private static let ownNamesAlone = ("search_path", "pg_catalog, pg_temp")

    /// Sets what holds to the end of a transaction.
    static func local(_ kinds: [(String, String)] = []) -> String {
        setting([ownNamesAlone] + kinds, isLocal: true)
    }

    private static func setting(_ kinds: [(String, String)], isLocal: Bool) -> String {
        "SELECT "
            + kinds.map { "pg_catalog.set_config('\($0.0)', '\($0.1)', \(isLocal))" }
            .joined(separator: ", ")
    }

    static let configurationName = TableHistory.configurationName

    var configurationVersion: String {
        "SELECT value FROM \(schema).number WHERE name = '\(Self.configurationName)'"
    }

    /// The counters, if the tables have a compatible version, each with a flag whether they belong
    /// to the opened store.
    var numbers: String {
        let isSame = identity.map { "(SELECT identity = '\($0)' FROM \(schema).store)" } ?? "true"
        return "SELECT n.name, n.value / CASE WHEN s.version >= \(ServerSchema.version) "
            + "AND s.oldest <= \(ServerSchema.version) THEN 1 ELSE 0 END, "
            + "CASE WHEN \(isSame) THEN 1 ELSE 0 END "
            + "FROM \(schema).number n, \(schema).schema s"
    }

    /// Lets commits survive a power cut, also where the server's own setting is less.
    var beDurable: String {
        let current = "pg_catalog.current_setting('synchronous_commit')"
        return "SELECT pg_catalog.set_config('synchronous_commit', "
            + "CASE WHEN \(current) OPERATOR(pg_catalog.=) 'off' THEN 'on' "
            + "ELSE \(current) END, \(isPooled))"
    }

    /// Notifies all of the next commit, and lets it end before it is on disk, so that others
    /// continue.
    var tellAndLeaveDiskBehind: String {
        "SELECT \(Self.notifier)('\(schema)', ''), "
            + "pg_catalog.set_config('synchronous_commit', 'off', true)"
    }

    private static let notifier = "pg_catalog.pg_notify"
    private static let marker = "pg_catalog.pg_logical_emit_message"

    /// Writes only a marker to the log: a separate transaction that ends when all earlier ones are
    /// on disk.
    static let awaitDisk = "SELECT \(marker)(true, 'sluice', '')"

    /// Whether this role may notify and write such a marker; roles may by default.
    static let mayAwaitDisk =
        "pg_catalog.has_function_privilege("
        + "'\(notifier)(pg_catalog.text,pg_catalog.text)', 'execute') AND "
        + "pg_catalog.has_function_privilege("
        + "'\(marker)(boolean,pg_catalog.text,pg_catalog.text)', 'execute')"

    /// Waits in a queue until no other process writes.
    var acquireTurn: String { "SELECT " + ServerLocks.take(ServerLocks.writers, schema) }

    /// Announces a change of a rarely changed table. Changes by older programs are in no queue's
    /// row, so they count as a removal.
    var newScenery: String {
        let (configuration, noted) = (Self.configurationName, TableHistory.notedName)
        return """
            UPDATE \(schema).number AS n SET value = CASE
                WHEN n.name <> '\(TableHistory.removalName)' THEN s.value + 1
                WHEN o.value < s.value THEN s.value ELSE n.value END
            FROM \(schema).number s, \(schema).number o
            WHERE s.name = '\(configuration)' AND o.name = '\(noted)'
                AND n.name IN ('\(configuration)', '\(noted)', '\(TableHistory.removalName)')
            """
    }
}
