/// Reduces the pages that a claim and its settle change. A commit writes each such page to the log.
extension Schema {
    static let pages = counters + owners + attempts

    /// The counters are rows of the tallies, under queue 0.
    private static let counters = [
        """
        INSERT INTO sluice_tally (queue, state, lane, n)
        SELECT 0, 0, CASE name WHEN 'task' THEN 0 WHEN 'number' THEN 1 WHEN 'journal' THEN 2
            ELSE 3 END, value
        FROM sluice_number WHERE name IN ('task', 'number', 'journal', 'queue')
        """,
        "DELETE FROM sluice_number WHERE name IN ('task', 'number', 'journal', 'queue')",
    ]

    /// The owner of a running task is found among the few running ones.
    private static let owners = [
        "DROP INDEX sluice_task_owner",
        """
        CREATE INDEX sluice_task_lingering ON sluice_task (owner)
        WHERE owner IS NOT NULL AND lane >= 0
        """,
    ]

    /// An execution is found by the number of its end without an index of these.
    private static let attempts = [
        "ALTER TABLE sluice_attempt RENAME TO sluice_attempt_old",
        "DROP INDEX sluice_attempt_end",
        "DROP INDEX sluice_attempt_queue",
        """
        CREATE TABLE sluice_attempt (
            end_sequence INTEGER PRIMARY KEY,
            task INTEGER NOT NULL,
            number INTEGER NOT NULL,
            queue TEXT NOT NULL,
            type TEXT NOT NULL,
            runner INTEGER NOT NULL,
            started_at INTEGER NOT NULL,
            ended_at INTEGER,
            outcome TEXT,
            is_counted INTEGER NOT NULL,
            error TEXT,
            fraction REAL,
            progress TEXT,
            log TEXT,
            child_pid INTEGER,
            child_start INTEGER,
            consequence TEXT
        ) STRICT
        """,
        """
        INSERT INTO sluice_attempt (
            end_sequence, task, number, queue, type, runner, started_at, ended_at, outcome,
            is_counted, error, fraction, progress, log, child_pid, child_start, consequence)
        SELECT CASE WHEN end_sequence > 0 THEN end_sequence ELSE -(task << 20 | number) END,
            task, number, queue, type, runner, started_at, ended_at, outcome,
            is_counted, error, fraction, progress, log, child_pid, child_start, consequence
        FROM sluice_attempt_old
        """,
        "DROP TABLE sluice_attempt_old",
        "CREATE UNIQUE INDEX sluice_attempt_task ON sluice_attempt (task, number)",
        "CREATE INDEX sluice_attempt_queue ON sluice_attempt (queue)",
    ]
}
