/// The tables of a store in the schema `sluice`: each version as the statements that upgrade the
/// previous one (P4). They have the same meaning as in the SQLite engine.
enum ServerSchema {
    /// The version that this engine writes.
    static var version: Int { history.version }

    /// The steps to version 1, 2 and so on; steps of released versions never change.
    static let history = TableHistory(
        [
            bookkeeping + tasks + groups + journal + processes, buckets, neighbours, configuration,
        ].map { Migration($0) } + [
            Migration(["DROP INDEX sluice.attempt_time"], isCompatible: true),
            Migration(renewals, isCompatible: true), Migration(positions),
            Migration(waiting, isCompatible: true), Migration(words), Migration(known),
            Migration(ends, lacksFailures: true), Migration(breakpoints, isCompatible: true),
            Migration(faults, isCompatible: true), Migration(filters, isCompatible: true),
            Migration(protection, isCompatible: true), Migration(clock, isCompatible: true),
            Migration(checkpoints, isCompatible: true), Migration(schedules, isCompatible: true),
            Migration(recording, isCompatible: true), Migration(scripts, isCompatible: true),
            Migration(inbox, isCompatible: true), Migration(steps, isCompatible: true),
            Migration(rates, isCompatible: true), Migration(uses, isCompatible: true),
            Migration(keys, isCompatible: true), Migration(headers, isCompatible: true),
            Migration(waits, isCompatible: true),
        ]
    ).rehearsed { "ALTER TABLE sluice.task ADD COLUMN later\($0) BIGINT NOT NULL DEFAULT 0" }

    /// Breakpoints; the first one raises the oldest compatible version.
    private static let breakpoints = ["ALTER TABLE sluice.store ADD COLUMN breakpoints \(text)"]

    /// The simulated clock; the first one raises the oldest compatible version.
    private static let clock = ["ALTER TABLE sluice.store ADD COLUMN clock \(text)"]

    /// The filters saved for all users.
    private static let filters = ["ALTER TABLE sluice.store ADD COLUMN filters \(text)"]

    /// Whether a person has marked it as protected.
    private static let protection = [
        "ALTER TABLE sluice.store ADD COLUMN protected BIGINT NOT NULL DEFAULT 0"
    ]

    /// How what persons did is done again.
    private static let scripts = ["ALTER TABLE sluice.event ADD COLUMN script \(text)"]

    /// Faults; the first one raises the oldest compatible version.
    private static let faults = [
        "ALTER TABLE sluice.store ADD COLUMN faults \(text)",
        "ALTER TABLE sluice.attempt ADD COLUMN injection \(text)",
    ]

    /// The recurring tasks.
    private static let schedules = ["ALTER TABLE sluice.store ADD COLUMN schedules \(text)"]

    /// How many attempts ended, and tasks failed, by minute, and which errors failed tasks have.
    private static let ends = [
        """
        CREATE TABLE sluice.ended (
            queue BIGINT NOT NULL,
            class BIGINT NOT NULL,
            slot BIGINT NOT NULL,
            minute BIGINT NOT NULL,
            \((0..<6).map { "s\($0) BIGINT NOT NULL" }.joined(separator: ", ")),
            PRIMARY KEY (queue, class, slot)
        )
        """,
        """
        CREATE TABLE sluice.failure (
            queue BIGINT NOT NULL,
            kind BIGINT NOT NULL,
            type TEXT NOT NULL,
            error TEXT NOT NULL,
            n BIGINT NOT NULL,
            attempts BIGINT NOT NULL,
            first_at BIGINT NOT NULL,
            last_at BIGINT NOT NULL,
            PRIMARY KEY (queue, kind, type)
        )
        """,
    ]

    /// Hashes of the origins of removed tasks.
    private static let known = [
        "ALTER TABLE sluice.origin ADD COLUMN key BIGINT",
        "CREATE TABLE sluice.known (key BIGINT PRIMARY KEY, task BIGINT NOT NULL)",
    ]

    /// Settings, pauses and ended tasks have words that programs of older versions cannot read.
    private static let words = ["UPDATE sluice.schema SET oldest = version + 1"]

    /// Finds queues with waiting tasks without reading others. A count that changes above 0 changes
    /// no index.
    private static let waiting = [
        "DROP INDEX sluice.tally_waiting",
        """
        ALTER TABLE sluice.tally ADD COLUMN waits BOOLEAN
        GENERATED ALWAYS AS (state = 0 AND n > 0) STORED
        """,
        "CREATE INDEX tally_waiting ON sluice.tally (queue) WHERE waits",
    ]

    /// Tasks that wait in arrival order or run are in no position index, and a separate row has the
    /// last position of a queue.
    private static let positions = [
        """
        INSERT INTO sluice.tally (queue, state, lane, n)
        SELECT 0, 1, queue, max(position) FROM sluice.task WHERE position > 0 GROUP BY queue
        """,
        "DROP INDEX sluice.task_position",
        """
        CREATE INDEX task_position ON sluice.task (queue, position)
        WHERE state > 1 OR (state = 0 AND length(rank) <> 8)
        """,
    ]

    /// The configuration number of the last change of each queue, and of the last removal.
    private static let renewals = [
        "INSERT INTO sluice.number (name, value) VALUES ('\(TableHistory.removalName)', 0)",
        """
        INSERT INTO sluice.number (name, value)
        SELECT '\(TableHistory.notedName)', value FROM sluice.number
        WHERE name = '\(TableHistory.configurationName)'
        """,
        "ALTER TABLE sluice.queue ADD COLUMN changed BIGINT NOT NULL DEFAULT 0",
        "CREATE INDEX queue_changed ON sluice.queue (changed)",
        "CREATE INDEX tally_waiting ON sluice.tally (queue) WHERE state = 0",
    ]

    /// How often queues, processes, permits and the store's own row changed.
    private static let configuration =
        ["INSERT INTO sluice.number (name, value) VALUES ('scenery', 0)"]

    /// The oldest version whose programs can work with the tables.
    private static let neighbours = [
        "ALTER TABLE sluice.schema ADD COLUMN oldest BIGINT NOT NULL DEFAULT 3"
    ]

    /// The column `lane` has the bucket of every task (`IndexBucket`).
    private static let buckets = [
        "ALTER TABLE sluice.queue ADD COLUMN main_type \(text)",
        "ALTER TABLE sluice.queue ADD COLUMN is_mixed BIGINT NOT NULL DEFAULT 0",
        """
        UPDATE sluice.queue q SET main_type = (
            SELECT t.type FROM sluice.task t WHERE t.queue = q.id
            GROUP BY t.type ORDER BY count(*) DESC LIMIT 1)
        """,
        """
        UPDATE sluice.queue q SET is_mixed = 1
        WHERE EXISTS (
            SELECT 1 FROM sluice.task t WHERE t.queue = q.id AND t.type <> q.main_type)
        """,
        "DROP INDEX sluice.task_order",
        "DROP INDEX sluice.task_lane",
        "DROP INDEX sluice.task_ready",
        "UPDATE sluice.task SET lane = -state WHERE state <> 0",
        """
        UPDATE sluice.task t SET lane = t.lane | 128 FROM sluice.queue q
        WHERE q.id = t.queue AND t.state = 0 AND t.type <> q.main_type
        """,
        "CREATE INDEX task_lane ON sluice.task (queue, lane, rank)",
        "CREATE INDEX task_type ON sluice.task (queue, type, rank) WHERE lane = 128",
    ]

    /// The statements that upgrade a schema from a version to the latest.
    static func statements(from version: Int, in schema: String) -> [String] {
        history.statements(from: version).map { $0.replacing("sluice.", by: "\(schema).") }
    }

    /// Rows of numbers that change all the time: room in the page keeps them out of the indexes.
    private static let busy = "WITH (fillfactor = 50)"
    /// Texts compare by bytes, as in every engine.
    static let text = "TEXT COLLATE \"C\""

    private static let bookkeeping = [
        "CREATE TABLE sluice.schema (version BIGINT NOT NULL)",
        "INSERT INTO sluice.schema (version) VALUES (0)",
        "CREATE TABLE sluice.number (name \(text) PRIMARY KEY, value BIGINT NOT NULL) \(busy)",
        """
        INSERT INTO sluice.number (name, value)
        VALUES ('task', 0), ('number', 0), ('journal', 0), ('queue', 0)
        """,
        """
        CREATE TABLE sluice.store (
            identity \(text) NOT NULL,
            durability \(text) NOT NULL,
            pauses \(text) NOT NULL,
            forced_network BIGINT,
            version BIGINT NOT NULL
        )
        """,
        """
        CREATE TABLE sluice.queue (
            id BIGINT PRIMARY KEY,
            name \(text) NOT NULL UNIQUE,
            settings \(text) NOT NULL,
            pauses \(text) NOT NULL,
            run \(text),
            last_run_end BIGINT,
            barren_runs BIGINT NOT NULL,
            created_at BIGINT NOT NULL,
            version BIGINT NOT NULL,
            wakes \(text)
        ) \(busy)
        """,
        """
        CREATE TABLE sluice.tally (
            queue BIGINT NOT NULL,
            state BIGINT NOT NULL,
            lane BIGINT NOT NULL,
            n BIGINT NOT NULL,
            PRIMARY KEY (queue, state, lane)
        ) \(busy)
        """,
    ]

    private static let tasks = [
        """
        CREATE TABLE sluice.task (
            id BIGINT PRIMARY KEY,
            queue BIGINT NOT NULL,
            state BIGINT NOT NULL,
            lane BIGINT NOT NULL,
            rank BYTEA NOT NULL,
            position BIGINT NOT NULL,
            version BIGINT NOT NULL,
            type \(text) NOT NULL,
            priority BIGINT NOT NULL,
            sort_key \(text),
            needs BIGINT NOT NULL,
            marks BIGINT NOT NULL,
            attempts BIGINT NOT NULL,
            executions BIGINT NOT NULL,
            attempt_limit BIGINT,
            created_at BIGINT NOT NULL,
            updated_at BIGINT NOT NULL,
            fresh_at BIGINT NOT NULL,
            wakes_at BIGINT,
            expires_at BIGINT,
            expiring_at BIGINT,
            timer_at BIGINT,
            timer_since BIGINT,
            moment BIGINT,
            owner BIGINT,
            token BIGINT,
            attempt BIGINT,
            group_start \(text),
            unique_key \(text),
            session \(text),
            client_string \(text),
            parent BIGINT,
            depth BIGINT NOT NULL,
            label \(text),
            last_error \(text),
            detail \(text),
            payload BYTEA
        )
        """,
        "CREATE INDEX task_order ON sluice.task (queue, state, rank)",
        "CREATE INDEX task_lane ON sluice.task (queue, lane, rank) WHERE state = 0",
        """
        CREATE INDEX task_ready ON sluice.task (queue, type, rank)
        WHERE state = 0 AND lane = 0
        """,
        "CREATE INDEX task_position ON sluice.task (queue, position)",
        "CREATE INDEX task_wake ON sluice.task (wakes_at, id) WHERE wakes_at IS NOT NULL",
        """
        CREATE INDEX task_queue_wake ON sluice.task (queue, wakes_at, id)
        WHERE wakes_at IS NOT NULL
        """,
        "CREATE INDEX task_expiry ON sluice.task (expiring_at) WHERE expiring_at IS NOT NULL",
        """
        CREATE INDEX task_fresh ON sluice.task (queue, fresh_at)
        WHERE state = 0 AND fresh_at > 0
        """,
        "CREATE INDEX task_owner ON sluice.task (owner) WHERE owner IS NOT NULL",
        """
        CREATE INDEX task_unique ON sluice.task (queue, unique_key, type)
        WHERE unique_key IS NOT NULL AND state <= 1
        """,
        "CREATE INDEX task_parent ON sluice.task (parent) WHERE parent IS NOT NULL",
        """
        CREATE INDEX task_session ON sluice.task (session, state, id)
        WHERE session IS NOT NULL AND marks & 4 = 0
        """,
        "CREATE TABLE sluice.payload (task BIGINT PRIMARY KEY, payload BYTEA NOT NULL)",
        "CREATE TABLE sluice.result (task BIGINT PRIMARY KEY, result BYTEA NOT NULL)",
        "CREATE TABLE sluice.origin (origin \(text) PRIMARY KEY, task BIGINT NOT NULL)",
        "CREATE INDEX origin_task ON sluice.origin (task)",
    ]

    private static let groups = [
        """
        CREATE TABLE sluice.role (
            queue BIGINT NOT NULL,
            name \(text) NOT NULL,
            task BIGINT NOT NULL,
            state BIGINT NOT NULL,
            rank BYTEA NOT NULL,
            position BIGINT NOT NULL,
            is_member BIGINT NOT NULL,
            holds BIGINT NOT NULL,
            PRIMARY KEY (queue, name, task)
        )
        """,
        "CREATE INDEX role_order ON sluice.role (queue, name, state, rank)",
        """
        CREATE INDEX role_member ON sluice.role (queue, name, position)
        WHERE is_member = 1 AND state = 0
        """,
        "CREATE INDEX role_start ON sluice.role (queue, name, position) WHERE holds = 1",
        """
        CREATE TABLE sluice.group (
            queue BIGINT NOT NULL,
            name \(text) NOT NULL,
            starts BIGINT NOT NULL,
            waiting BIGINT NOT NULL,
            running BIGINT NOT NULL,
            PRIMARY KEY (queue, name)
        ) \(busy)
        """,
    ]

    private static let journal = [
        """
        CREATE TABLE sluice.attempt (
            task BIGINT NOT NULL,
            number BIGINT NOT NULL,
            queue \(text) NOT NULL,
            type \(text) NOT NULL,
            runner BIGINT NOT NULL,
            started_at BIGINT NOT NULL,
            ended_at BIGINT,
            outcome \(text),
            is_counted BIGINT NOT NULL,
            error \(text),
            fraction DOUBLE PRECISION,
            progress \(text),
            log \(text),
            child_pid BIGINT,
            child_start BIGINT,
            end_sequence BIGINT NOT NULL,
            consequence \(text),
            PRIMARY KEY (task, number)
        )
        """,
        """
        CREATE UNIQUE INDEX attempt_end ON sluice.attempt (end_sequence)
        WHERE end_sequence > 0
        """,
        """
        CREATE INDEX attempt_queue ON sluice.attempt (queue, end_sequence)
        WHERE end_sequence > 0
        """,
        """
        CREATE INDEX attempt_time ON sluice.attempt (queue, ended_at, end_sequence)
        WHERE ended_at IS NOT NULL
        """,
        """
        CREATE TABLE sluice.event (
            sequence BIGINT PRIMARY KEY,
            at BIGINT NOT NULL,
            kind \(text) NOT NULL,
            queue \(text),
            task BIGINT,
            by \(text) NOT NULL,
            text \(text) NOT NULL,
            undo \(text),
            undone_by BIGINT,
            bulk BIGINT
        )
        """,
        "CREATE INDEX event_queue ON sluice.event (queue, sequence) WHERE queue IS NOT NULL",
        "CREATE INDEX event_task ON sluice.event (task, sequence) WHERE task IS NOT NULL",
        """
        CREATE INDEX event_undo ON sluice.event (by, sequence)
        WHERE undo IS NOT NULL AND undone_by IS NULL
        """,
        "CREATE INDEX event_bulk ON sluice.event (bulk) WHERE bulk IS NOT NULL",
    ]

    private static let processes = [
        """
        CREATE TABLE sluice.process (
            id BIGINT PRIMARY KEY,
            record \(text) NOT NULL,
            beat BIGINT NOT NULL DEFAULT 0
        ) \(busy)
        """,
        """
        CREATE TABLE sluice.permit (
            id BIGINT PRIMARY KEY,
            task BIGINT NOT NULL,
            version BIGINT NOT NULL,
            queue \(text) NOT NULL,
            issuer BIGINT NOT NULL,
            runner BIGINT NOT NULL
        )
        """,
    ]
}
