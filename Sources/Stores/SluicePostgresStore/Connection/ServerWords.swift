import SluiceTables

/// What a connection says to the server around the questions of a transaction.
struct ServerWords {
    let schema: String
    /// Whether a pooler stands between, so that nothing stays set beyond a transaction.
    let isPooled: Bool
    /// The store that was opened, which another one may have followed under the same name; nil
    /// while that is not known.
    var identity: String?

    /// How long the server lets something take, and how it plans.
    ///
    /// Every question is a range of one index, whatever the tables hold: that plan is made once for
    /// each statement, and no statistics of a moment (an empty queue, a new store) lead to another.
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

    /// What has no schema before it is the server's own, whatever this role's or the database's
    /// search path says and whoever may make functions, operators or types in a schema of it. The
    /// tables have theirs; what is said before this holds, or where it does not, names
    /// `pg_catalog` itself.
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

    /// The counters, where the tables are still those of this version, and beside each whether they
    /// are those of the store that was opened.
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

    /// Tells everybody of the next commit, and lets it end, and others go on, before it is on the
    /// disk.
    var tellAndLeaveDiskBehind: String {
        "SELECT \(Self.notifier)('\(schema)', ''), "
            + "pg_catalog.set_config('synchronous_commit', 'off', true)"
    }

    private static let notifier = "pg_catalog.pg_notify"
    private static let marker = "pg_catalog.pg_logical_emit_message"

    /// Writes nothing but a mark into the log: a transaction of its own that ends when everything
    /// before it is on the disk.
    static let awaitDisk = "SELECT \(marker)(true, 'sluice', '')"

    /// Whether this role may tell so and write such a mark, as it may where nobody took that away.
    static let mayAwaitDisk =
        "pg_catalog.has_function_privilege("
        + "'\(notifier)(pg_catalog.text,pg_catalog.text)', 'execute') AND "
        + "pg_catalog.has_function_privilege("
        + "'\(marker)(boolean,pg_catalog.text,pg_catalog.text)', 'execute')"

    /// Waits in a queue until no other process writes.
    var takeTurn: String { "SELECT " + ServerLocks.take(ServerLocks.writers, schema) }

    /// Tells all that something changed which hardly ever does. What an older program changed is in
    /// no row of a queue: then it is as if one had been removed.
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
