/// Checkpoints (G5); the first one raises the oldest version that works on.
extension Schema {
    /// Checkpoints, and images of values before their changes.
    static let checkpoints = [
        "ALTER TABLE sluice_store ADD COLUMN checkpoints TEXT",
        """
        CREATE TABLE sluice_image (
            mark INTEGER NOT NULL,
            kind INTEGER NOT NULL,
            task INTEGER NOT NULL,
            queue TEXT NOT NULL,
            size INTEGER NOT NULL,
            record TEXT,
            bytes BLOB,
            PRIMARY KEY (mark, kind, task, queue)
        ) STRICT, WITHOUT ROWID
        """,
    ]

    /// The newest steps, for `undo`.
    static let steps = [
        "CREATE TABLE sluice_step (token INTEGER PRIMARY KEY, record TEXT NOT NULL) STRICT"
    ]
}
