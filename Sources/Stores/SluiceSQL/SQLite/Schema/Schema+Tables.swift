/// The number `scenery` grows with every change of a queue by any program. Cached queues stay valid
/// while it is the same.
extension Schema {
    static let configuration =
        [
            """
            INSERT INTO sluice_number (name, value) VALUES ('\(TableHistory.configurationName)', 0)
            """
        ]
        + ["INSERT", "UPDATE", "DELETE"].map { change in
            """
            CREATE TRIGGER sluice_queue_\(change.lowercased()) AFTER \(change) ON sluice_queue BEGIN
                UPDATE sluice_number SET value = value + 1
                WHERE name = '\(TableHistory.configurationName)';
            END
            """
        }
}

/// Queries over all queues skip the queues without results.
extension Schema {
    static let queues = [
        "DELETE FROM sluice_tally WHERE queue > 0 AND n = 0",
        // A count of zero is deleted; a changed count needs no index update.
        """
        CREATE TRIGGER sluice_tally_nothing AFTER UPDATE OF n ON sluice_tally
        WHEN new.n = 0 AND new.queue > 0 BEGIN
            DELETE FROM sluice_tally
            WHERE queue = new.queue AND state = new.state AND lane = new.lane;
        END
        """,
        "CREATE INDEX sluice_tally_state ON sluice_tally (state, queue)",
        """
        CREATE INDEX sluice_queue_busy ON sluice_queue (id)
        WHERE run IS NOT NULL OR wakes IS NOT NULL
        """,
        "ALTER TABLE sluice_queue ADD COLUMN priority INTEGER NOT NULL DEFAULT 0",
        "UPDATE sluice_queue SET priority = json_extract(settings, '$.priority')",
        "CREATE INDEX sluice_queue_priority ON sluice_queue (priority)",
    ]

    /// Queues in display order, and queues with timed pauses or batched runs.
    static let queuePages = [
        "DROP INDEX sluice_queue_priority",
        "CREATE INDEX sluice_queue_order ON sluice_queue (priority DESC, name)",
        "CREATE INDEX sluice_queue_moment ON sluice_queue (id) WHERE \(TableReader.hasMoment)",
    ]
}

/// A task waiting in arrival order is found by its rank, which equals its position; running tasks
/// are found among the few that run. Both need no position index. A separate row has the last
/// position of a queue (Q1).
extension Schema {
    static let positions = [
        """
        INSERT INTO sluice_tally (queue, state, lane, n)
        SELECT 0, 1, queue, max(position) FROM sluice_task WHERE position > 0 GROUP BY queue
        """,
        "DROP INDEX sluice_task_position",
        """
        CREATE INDEX sluice_task_position ON sluice_task (queue, position)
        WHERE state > 1 OR (state = 0 AND length(rank) <> 8)
        """,
    ]
}

/// The column `lane` has the bucket of every task (`IndexBucket`). One index replaces three, with
/// one entry for a waiting task.
extension Schema {
    static let buckets = [
        "ALTER TABLE sluice_queue ADD COLUMN main_type TEXT",
        "ALTER TABLE sluice_queue ADD COLUMN is_mixed INTEGER NOT NULL DEFAULT 0",
        """
        UPDATE sluice_queue SET main_type = (
            SELECT type FROM sluice_task WHERE queue = sluice_queue.id
            GROUP BY type ORDER BY count(*) DESC LIMIT 1)
        """,
        """
        UPDATE sluice_queue SET is_mixed = EXISTS (
            SELECT 1 FROM sluice_task WHERE queue = sluice_queue.id AND type <> main_type)
        """,
        "DROP INDEX sluice_task_order",
        "DROP INDEX sluice_task_lane",
        "DROP INDEX sluice_task_ready",
        "UPDATE sluice_task SET lane = -state WHERE state <> 0",
        """
        UPDATE sluice_task SET lane = lane | 128
        WHERE state = 0
            AND type <> (SELECT main_type FROM sluice_queue q WHERE q.id = sluice_task.queue)
        """,
        "CREATE INDEX sluice_task_lane ON sluice_task (queue, lane, rank)",
        """
        CREATE INDEX sluice_task_type ON sluice_task (queue, type, rank) WHERE lane = 128
        """,
    ]
}

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
