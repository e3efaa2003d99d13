/// The two tables that an application may write to (T4). Their columns are a contract: the names of
/// docs/library.md stay.
extension Schema {
    static let inbox = [
        """
        CREATE TABLE sluice_inbox (
            id INTEGER PRIMARY KEY,
            queue TEXT NOT NULL,
            type TEXT NOT NULL,
            payload ANY,
            priority INTEGER,
            sort_key ANY,
            group_start TEXT,
            group_members TEXT,
            not_before INTEGER,
            attempt_limit INTEGER,
            expires_at INTEGER,
            requires TEXT,
            required INTEGER,
            unique_key TEXT,
            unique_policy TEXT,
            label TEXT,
            session TEXT,
            client_string ANY,
            created_at INTEGER
                DEFAULT (CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)),
            error TEXT
        ) STRICT
        """,
        "CREATE INDEX sluice_inbox_fresh ON sluice_inbox (error) WHERE error IS NULL",
        "CREATE INDEX sluice_inbox_refused ON sluice_inbox (queue) WHERE error IS NOT NULL",
        """
        CREATE TABLE sluice_removed (
            id INTEGER PRIMARY KEY,
            task INTEGER,
            queue TEXT,
            type TEXT,
            unique_key TEXT,
            inbox_count INTEGER,
            error TEXT
        ) STRICT
        """,
        "CREATE INDEX sluice_removed_fresh ON sluice_removed (error) WHERE error IS NULL",
        "CREATE INDEX sluice_removed_refused ON sluice_removed (id) WHERE error IS NOT NULL",
        // Which tasks came before a removal: the two tables have one order of arrival.
        """
        CREATE TRIGGER sluice_removed_count AFTER INSERT ON sluice_removed BEGIN
            UPDATE sluice_removed
            SET inbox_count = coalesce((SELECT max(id) FROM sluice_inbox), 0)
            WHERE id = new.id;
        END
        """,
    ]
}
