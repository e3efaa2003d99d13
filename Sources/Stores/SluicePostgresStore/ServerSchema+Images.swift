/// Checkpoints (G5); the first one raises the oldest version that works on.
extension ServerSchema {
    /// Checkpoints, and images of values before their changes.
    static let checkpoints = [
        "ALTER TABLE sluice.store ADD COLUMN checkpoints TEXT COLLATE \"C\"",
        """
        CREATE TABLE sluice.image (
            mark BIGINT NOT NULL,
            kind BIGINT NOT NULL,
            task BIGINT NOT NULL,
            queue TEXT COLLATE "C" NOT NULL,
            size BIGINT NOT NULL,
            record TEXT COLLATE "C",
            bytes BYTEA,
            PRIMARY KEY (mark, kind, task, queue)
        )
        """,
    ]

    /// Until when starts are paid for by a queue's rate; the first rate raises the oldest version
    /// that works on.
    static let rates = ["ALTER TABLE sluice.queue ADD COLUMN paid_up BIGINT"]

    /// The same for each key of a rate that counts by keys.
    static let keys = ["ALTER TABLE sluice.queue ADD COLUMN paid_keys TEXT COLLATE \"C\""]

    /// How long tasks had been due when they began, by minute.
    static let waits = [
        """
        CREATE TABLE sluice.waited (
            queue BIGINT NOT NULL,
            class BIGINT NOT NULL,
            slot BIGINT NOT NULL,
            minute BIGINT NOT NULL,
            \((0..<6).map { "s\($0) BIGINT NOT NULL" }.joined(separator: ", ")),
            PRIMARY KEY (queue, class, slot)
        )
        """
    ]

    /// Ended tasks by their unique keys.
    static let uses = [
        """
        CREATE INDEX task_used ON sluice.task (queue, unique_key, type, created_at, id)
        WHERE unique_key IS NOT NULL AND state >= 2 AND state <= 3
        """
    ]

    /// The newest steps, for `undo`.
    static let steps = [
        """
        CREATE TABLE sluice.step (
            token BIGINT PRIMARY KEY,
            record TEXT COLLATE "C" NOT NULL
        )
        """
    ]
}
