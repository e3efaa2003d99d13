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

/// The two tables that an application may write to (T4). Their columns are a contract: the names in
/// docs/library.md stay.
///
/// An application needs only the right to insert. The trigger that numbers its rows therefore runs
/// as the owner of the tables, because only the owner may use the sequence. It does nothing else,
/// uses only names of `pg_catalog`, and others cannot attach it to a table.
extension ServerSchema {
    static let inbox =
        [
            "CREATE SEQUENCE sluice.inbox_number",
            """
            CREATE TABLE sluice.inbox (
                id BIGINT PRIMARY KEY,
                queue \(text) NOT NULL \(name("queue")),
                type \(text) NOT NULL \(name("type")),
                payload TEXT \(bytes("payload", most: 256 << 20)),
                payload_bytes BYTEA \(bytes("payload_bytes", most: 256 << 20)),
                priority BIGINT,
                sort_key BIGINT,
                sort_text \(text) \(bytes("sort_text")),
                group_start \(text) \(name("group_start")),
                group_members TEXT \(texts("group_members")),
                not_before BIGINT \(moment("not_before")),
                attempt_limit BIGINT CHECK (attempt_limit BETWEEN 1 AND 2147483647),
                expires_at BIGINT \(moment("expires_at")),
                requires TEXT \(texts("requires")),
                required BIGINT,
                unique_key \(text) \(name("unique_key")),
                unique_policy \(text) CHECK (unique_policy IN ('keep', 'replace', 'reject')),
                label TEXT \(bytes("label")),
                session \(text) \(name("session")),
                client_string TEXT \(bytes("client_string")),
                created_at BIGINT DEFAULT (extract(epoch FROM clock_timestamp()) * 1000)::bigint
                    \(moment("created_at")),
                error TEXT,
                CONSTRAINT inbox_one_payload CHECK (payload IS NULL OR payload_bytes IS NULL),
                CONSTRAINT inbox_one_sort_key CHECK (sort_key IS NULL OR sort_text IS NULL)
            )
            """,
            """
            CREATE TABLE sluice.removed (
                id BIGINT PRIMARY KEY,
                task BIGINT,
                queue \(text),
                type \(text),
                unique_key \(text),
                error TEXT,
                CONSTRAINT removed_names_a_task CHECK (task IS NOT NULL
                    OR queue IS NOT NULL AND type IS NOT NULL AND unique_key IS NOT NULL)
            )
            """,
            """
            CREATE FUNCTION sluice.number_inbox() RETURNS trigger
            LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
            BEGIN
                NEW.id := nextval('sluice.inbox_number');
                NEW.error := NULL;
                RETURN NEW;
            END
            $$
            """,
            """
            CREATE FUNCTION sluice.tell_inbox() RETURNS trigger
            LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
            BEGIN
                PERFORM pg_notify(TG_TABLE_SCHEMA, '');
                RETURN NULL;
            END
            $$
            """,
            "REVOKE ALL ON FUNCTION sluice.number_inbox(), sluice.tell_inbox() FROM PUBLIC",
        ]
        + ["inbox", "removed"].flatMap { table in
            [
                "CREATE INDEX \(table)_fresh ON sluice.\(table) (id) WHERE error IS NULL",
                "CREATE INDEX \(table)_refused ON sluice.\(table) (id) WHERE error IS NOT NULL",
                """
                CREATE TRIGGER \(table)_number BEFORE INSERT ON sluice.\(table)
                FOR EACH ROW EXECUTE FUNCTION sluice.number_inbox()
                """,
                """
                CREATE TRIGGER \(table)_tell AFTER INSERT OR UPDATE ON sluice.\(table)
                FOR EACH STATEMENT EXECUTE FUNCTION sluice.tell_inbox()
                """,
            ]
        }

    /// The headers of a task that an application enqueues: a JSON object of texts.
    static let headers = [
        """
        ALTER TABLE sluice.inbox ADD COLUMN headers TEXT \(bytes("headers"))
            CHECK (jsonb_typeof(headers::jsonb) = 'object'
                AND NOT jsonb_path_exists(headers::jsonb, '$.* ? (@.type() <> "string")'))
        """
    ]

    /// The rule for every name (T6).
    private static func name(_ column: String) -> String {
        let control = #"'[\u0001-\u001F\u007F-\u009F\u2028\u2029]'"#
        return "CHECK (char_length(\(column)) BETWEEN 1 AND 200 AND \(column) !~ \(control))"
    }

    /// A JSON array of texts.
    private static func texts(_ column: String) -> String {
        "\(bytes(column)) CHECK (jsonb_typeof(\(column)::jsonb) = 'array' "
            + "AND NOT jsonb_path_exists(\(column)::jsonb, '$[*] ? (@.type() <> \"string\")'))"
    }

    /// The size limit for readable rows, for any queue settings.
    private static func bytes(_ column: String, most: Int = 1 << 20) -> String {
        "CHECK (octet_length(\(column)) <= \(most))"
    }

    /// Milliseconds since 1970, up to the year 9999.
    private static func moment(_ column: String) -> String {
        "CHECK (\(column) BETWEEN 0 AND 253402300799999)"
    }
}

extension ServerSchema {
    /// The changes of commits until a recorder moves them. The first recording raises the oldest
    /// compatible version.
    static let recording = [
        "ALTER TABLE sluice.store ADD COLUMN recording TEXT",
        """
        CREATE TABLE sluice.tape (
            number BIGINT PRIMARY KEY,
            at BIGINT NOT NULL,
            total BIGINT NOT NULL,
            body TEXT NOT NULL
        )
        """,
    ]
}
