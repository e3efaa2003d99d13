/// How many attempts ended, and tasks failed, by minute, and which errors failed tasks have.
extension Schema {
    static let ends = [
        """
        CREATE TABLE sluice_ended (
            queue INTEGER NOT NULL,
            class INTEGER NOT NULL,
            slot INTEGER NOT NULL,
            minute INTEGER NOT NULL,
            s0 INTEGER NOT NULL,
            s1 INTEGER NOT NULL,
            s2 INTEGER NOT NULL,
            s3 INTEGER NOT NULL,
            s4 INTEGER NOT NULL,
            s5 INTEGER NOT NULL,
            PRIMARY KEY (queue, class, slot)
        ) STRICT, WITHOUT ROWID
        """,
        """
        CREATE TABLE sluice_failure (
            queue INTEGER NOT NULL,
            kind INTEGER NOT NULL,
            type TEXT NOT NULL,
            error TEXT NOT NULL,
            n INTEGER NOT NULL,
            attempts INTEGER NOT NULL,
            first_at INTEGER NOT NULL,
            last_at INTEGER NOT NULL,
            PRIMARY KEY (queue, kind, type)
        ) STRICT, WITHOUT ROWID
        """,
    ]

    /// How long tasks had been due when they began, by minute.
    static let waits = [
        """
        CREATE TABLE sluice_waited (
            queue INTEGER NOT NULL,
            class INTEGER NOT NULL,
            slot INTEGER NOT NULL,
            minute INTEGER NOT NULL,
            \((0..<6).map { "s\($0) INTEGER NOT NULL" }.joined(separator: ", ")),
            PRIMARY KEY (queue, class, slot)
        ) STRICT, WITHOUT ROWID
        """
    ]
}
