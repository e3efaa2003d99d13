/// The tables of a store: each version by the statements that make it of the one before (P4).
enum Schema {
    /// The version that this engine writes.
    static var version: Int { history.version }

    /// The steps to version 1, 2 and so on; steps of released versions never change.
    static let history = TableHistory(
        [first, bulks, sessions, wakes, inbox, origins, buckets, neighbours, offers].map {
            Migration($0)
        } + [
            Migration(["DROP INDEX sluice_attempt_time"], isCompatible: true),
            Migration(configuration, isCompatible: true), Migration(pages), Migration(positions),
            Migration(words), Migration(queues), Migration(queuePages + known),
            Migration(ends, lacksFailures: true), Migration(breakpoints, isCompatible: true),
            Migration(faults, isCompatible: true), Migration(filters, isCompatible: true),
            Migration(protection, isCompatible: true), Migration(clock, isCompatible: true),
            Migration(checkpoints, isCompatible: true), Migration(schedules, isCompatible: true),
            Migration(recording, isCompatible: true), Migration(scripts, isCompatible: true),
            Migration(steps, isCompatible: true), Migration(rates, isCompatible: true),
            Migration(uses, isCompatible: true), Migration(keys, isCompatible: true),
            Migration(headers, isCompatible: true), Migration(waits, isCompatible: true),
        ]
    ).rehearsed { "ALTER TABLE sluice_task ADD COLUMN later\($0) INTEGER NOT NULL DEFAULT 0" }

    /// Breakpoints; the first one raises the oldest compatible version.
    private static let breakpoints = ["ALTER TABLE sluice_store ADD COLUMN breakpoints TEXT"]

    /// The end of the time that past starts of a queue have used of its rate. The first rate raises
    /// the oldest compatible version.
    private static let rates = ["ALTER TABLE sluice_queue ADD COLUMN paid_up INTEGER"]

    /// The same for each key of a rate that counts by keys.
    private static let keys = [
        "ALTER TABLE sluice_queue ADD COLUMN paid_keys TEXT",
        "DROP INDEX sluice_queue_moment",
        """
        CREATE INDEX sluice_queue_moment ON sluice_queue (id)
        WHERE \(TableReader.hasMomentOrRate)
        """,
    ]

    /// The headers of a task that an application enqueues.
    private static let headers = ["ALTER TABLE sluice_inbox ADD COLUMN headers TEXT"]

    /// Ended tasks by their unique keys.
    private static let uses = [
        """
        CREATE INDEX sluice_task_used ON sluice_task (queue, unique_key, type, created_at)
        WHERE unique_key IS NOT NULL AND state >= 2 AND state <= 3
        """
    ]

    /// Faults; the first one raises the oldest compatible version.
    private static let faults = [
        "ALTER TABLE sluice_store ADD COLUMN faults TEXT",
        "ALTER TABLE sluice_attempt ADD COLUMN injection TEXT",
    ]

    /// The filters saved for all users.
    private static let filters = ["ALTER TABLE sluice_store ADD COLUMN filters TEXT"]

    /// Whether a person has marked it as protected.
    private static let protection = [
        "ALTER TABLE sluice_store ADD COLUMN protected INTEGER NOT NULL DEFAULT 0"
    ]
    /// The recurring tasks.
    private static let schedules = ["ALTER TABLE sluice_store ADD COLUMN schedules TEXT"]

    /// The simulated clock; the first one raises the oldest compatible version.
    private static let clock = ["ALTER TABLE sluice_store ADD COLUMN clock TEXT"]

    /// The changes of commits until a recorder moves them. The first recording raises the oldest
    /// compatible version.
    private static let recording = [
        "ALTER TABLE sluice_store ADD COLUMN recording TEXT",
        """
        CREATE TABLE sluice_tape (
            number INTEGER PRIMARY KEY,
            at INTEGER NOT NULL,
            total INTEGER NOT NULL,
            body TEXT NOT NULL
        ) STRICT
        """,
    ]

    /// How what persons did is done again.
    private static let scripts = ["ALTER TABLE sluice_event ADD COLUMN script TEXT"]

    /// Settings, pauses and ended tasks have words that programs of older versions cannot read.
    private static let words = ["UPDATE sluice_schema SET oldest = version + 1"]

    /// The oldest version whose programs can work with the tables.
    private static let neighbours = [
        "ALTER TABLE sluice_schema ADD COLUMN oldest INTEGER NOT NULL DEFAULT 8"
    ]

    private static let first = bookkeeping + tasks + groups + journal + processes

    /// The later slices of a bulk name the event of its first.
    private static let bulks = [
        "ALTER TABLE sluice_event ADD COLUMN bulk INTEGER",
        "CREATE INDEX sluice_event_bulk ON sluice_event (bulk) WHERE bulk IS NOT NULL",
    ]

    /// The uncollected tasks of a session: bit 4 of `marks` is set after its client collected the
    /// result.
    private static let sessions = [
        """
        CREATE INDEX sluice_task_session ON sluice_task (session, state, id)
        WHERE session IS NOT NULL AND marks & 4 = 0
        """
    ]

    /// Wakes: the rest of a start's end for its members.
    private static let wakes = ["ALTER TABLE sluice_queue ADD COLUMN wakes TEXT"]

    /// The origins of imported tasks; a row outlives its task.
    private static let origins = [
        """
        CREATE TABLE sluice_origin (
            origin TEXT PRIMARY KEY,
            task INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID
        """,
        "CREATE INDEX sluice_origin_task ON sluice_origin (task)",
    ]

    /// Hashes of the origins of removed tasks.
    private static let known = [
        "ALTER TABLE sluice_origin ADD COLUMN key INTEGER",
        "CREATE TABLE sluice_known (key INTEGER PRIMARY KEY, task INTEGER NOT NULL) STRICT",
    ]

    /// The free slots of runners, and the tasks that enqueues claimed for them.
    private static let offers = [
        """
        CREATE TABLE sluice_offer (
            process INTEGER PRIMARY KEY,
            slots INTEGER NOT NULL,
            in_hand INTEGER NOT NULL,
            priority INTEGER NOT NULL,
            handed TEXT NOT NULL
        ) STRICT
        """
    ]

    private static let bookkeeping = [
        "CREATE TABLE sluice_schema (version INTEGER NOT NULL) STRICT",
        "INSERT INTO sluice_schema (version) VALUES (0)",
        """
        CREATE TABLE sluice_number (
            name TEXT PRIMARY KEY,
            value INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID
        """,
        """
        INSERT INTO sluice_number (name, value)
        VALUES ('task', 0), ('number', 0), ('journal', 0), ('queue', 0)
        """,
        """
        CREATE TABLE sluice_store (
            identity TEXT NOT NULL,
            durability TEXT NOT NULL,
            pauses TEXT NOT NULL,
            forced_network INTEGER,
            version INTEGER NOT NULL
        ) STRICT
        """,
        """
        CREATE TABLE sluice_queue (
            id INTEGER PRIMARY KEY,
            name TEXT NOT NULL UNIQUE,
            settings TEXT NOT NULL,
            pauses TEXT NOT NULL,
            run TEXT,
            last_run_end INTEGER,
            barren_runs INTEGER NOT NULL,
            created_at INTEGER NOT NULL,
            version INTEGER NOT NULL
        ) STRICT
        """,
        """
        CREATE TABLE sluice_tally (
            queue INTEGER NOT NULL,
            state INTEGER NOT NULL,
            lane INTEGER NOT NULL,
            n INTEGER NOT NULL,
            PRIMARY KEY (queue, state, lane)
        ) STRICT, WITHOUT ROWID
        """,
    ]

    /// `state`, `lane`, `rank`, `wakes_at` and `expiring_at` (`expires_at` of
    /// what can expire now) follow from the other columns
    /// and the queue's settings.
    private static let tasks = [
        """
        CREATE TABLE sluice_task (
            id INTEGER PRIMARY KEY,
            queue INTEGER NOT NULL,
            state INTEGER NOT NULL,
            lane INTEGER NOT NULL,
            rank BLOB NOT NULL,
            position INTEGER NOT NULL,
            version INTEGER NOT NULL,
            type TEXT NOT NULL,
            priority INTEGER NOT NULL,
            sort_key ANY,
            needs INTEGER NOT NULL,
            marks INTEGER NOT NULL,
            attempts INTEGER NOT NULL,
            executions INTEGER NOT NULL,
            attempt_limit INTEGER,
            created_at INTEGER NOT NULL,
            updated_at INTEGER NOT NULL,
            fresh_at INTEGER NOT NULL,
            wakes_at INTEGER,
            expires_at INTEGER,
            expiring_at INTEGER,
            timer_at INTEGER,
            timer_since INTEGER,
            moment INTEGER,
            owner INTEGER,
            token INTEGER,
            attempt INTEGER,
            group_start TEXT,
            unique_key TEXT,
            session TEXT,
            client_string TEXT,
            parent INTEGER,
            depth INTEGER NOT NULL,
            label TEXT,
            last_error TEXT,
            detail TEXT,
            payload BLOB
        ) STRICT
        """,
        "CREATE INDEX sluice_task_order ON sluice_task (queue, state, rank)",
        "CREATE INDEX sluice_task_lane ON sluice_task (queue, lane, rank) WHERE state = 0",
        """
        CREATE INDEX sluice_task_ready ON sluice_task (queue, type, rank)
        WHERE state = 0 AND lane = 0
        """,
        "CREATE INDEX sluice_task_position ON sluice_task (queue, position)",
        "CREATE INDEX sluice_task_wake ON sluice_task (wakes_at) WHERE wakes_at IS NOT NULL",
        """
        CREATE INDEX sluice_task_queue_wake ON sluice_task (queue, wakes_at)
        WHERE wakes_at IS NOT NULL
        """,
        """
        CREATE INDEX sluice_task_expiry ON sluice_task (expiring_at)
        WHERE expiring_at IS NOT NULL
        """,
        """
        CREATE INDEX sluice_task_fresh ON sluice_task (queue, fresh_at)
        WHERE state = 0 AND fresh_at > 0
        """,
        "CREATE INDEX sluice_task_owner ON sluice_task (owner) WHERE owner IS NOT NULL",
        """
        CREATE INDEX sluice_task_unique ON sluice_task (queue, unique_key, type)
        WHERE unique_key IS NOT NULL AND state <= 1
        """,
        "CREATE INDEX sluice_task_parent ON sluice_task (parent) WHERE parent IS NOT NULL",
        """
        CREATE TABLE sluice_payload (
            task INTEGER PRIMARY KEY,
            payload BLOB NOT NULL
        ) STRICT
        """,
        """
        CREATE TABLE sluice_result (
            task INTEGER PRIMARY KEY,
            result BLOB NOT NULL
        ) STRICT
        """,
    ]

    /// One row for each task and group; `state`, `rank` and `position` are the task's.
    private static let groups = [
        """
        CREATE TABLE sluice_role (
            queue INTEGER NOT NULL,
            name TEXT NOT NULL,
            task INTEGER NOT NULL,
            state INTEGER NOT NULL,
            rank BLOB NOT NULL,
            position INTEGER NOT NULL,
            is_member INTEGER NOT NULL,
            holds INTEGER NOT NULL,
            PRIMARY KEY (queue, name, task)
        ) STRICT, WITHOUT ROWID
        """,
        "CREATE INDEX sluice_role_order ON sluice_role (queue, name, state, rank)",
        """
        CREATE INDEX sluice_role_member ON sluice_role (queue, name, position)
        WHERE is_member = 1 AND state = 0
        """,
        """
        CREATE INDEX sluice_role_start ON sluice_role (queue, name, position)
        WHERE holds = 1
        """,
        """
        CREATE TABLE sluice_group (
            queue INTEGER NOT NULL,
            name TEXT NOT NULL,
            starts INTEGER NOT NULL,
            waiting INTEGER NOT NULL,
            running INTEGER NOT NULL,
            PRIMARY KEY (queue, name)
        ) STRICT, WITHOUT ROWID
        """,
    ]

    private static let journal = [
        """
        CREATE TABLE sluice_attempt (
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
            end_sequence INTEGER NOT NULL,
            consequence TEXT,
            PRIMARY KEY (task, number)
        ) STRICT, WITHOUT ROWID
        """,
        """
        CREATE UNIQUE INDEX sluice_attempt_end ON sluice_attempt (end_sequence)
        WHERE end_sequence > 0
        """,
        """
        CREATE INDEX sluice_attempt_queue ON sluice_attempt (queue, end_sequence)
        WHERE end_sequence > 0
        """,
        """
        CREATE INDEX sluice_attempt_time ON sluice_attempt (queue, ended_at, end_sequence)
        WHERE ended_at IS NOT NULL
        """,
        """
        CREATE TABLE sluice_event (
            sequence INTEGER PRIMARY KEY,
            at INTEGER NOT NULL,
            kind TEXT NOT NULL,
            queue TEXT,
            task INTEGER,
            by TEXT NOT NULL,
            text TEXT NOT NULL,
            undo TEXT,
            undone_by INTEGER
        ) STRICT
        """,
        "CREATE INDEX sluice_event_queue ON sluice_event (queue) WHERE queue IS NOT NULL",
        "CREATE INDEX sluice_event_task ON sluice_event (task) WHERE task IS NOT NULL",
        """
        CREATE INDEX sluice_event_undo ON sluice_event (by)
        WHERE undo IS NOT NULL AND undone_by IS NULL
        """,
    ]

    private static let processes = [
        """
        CREATE TABLE sluice_process (
            id INTEGER PRIMARY KEY,
            record TEXT NOT NULL
        ) STRICT
        """,
        """
        CREATE TABLE sluice_permit (
            id INTEGER PRIMARY KEY,
            task INTEGER NOT NULL,
            version INTEGER NOT NULL,
            queue TEXT NOT NULL,
            issuer INTEGER NOT NULL,
            runner INTEGER NOT NULL
        ) STRICT
        """,
    ]
}
