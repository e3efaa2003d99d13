extension RawLoop.Tables {
    /// One table with what a queue cannot do without.
    static let bare = RawLoop.Tables(
        name: "bare table",
        schema: """
            CREATE TABLE task (
                id INTEGER PRIMARY KEY, state INTEGER NOT NULL DEFAULT 0, payload BLOB NOT NULL);
            CREATE INDEX task_ready ON task (id) WHERE state = 0;
            """,
        insert: ["INSERT INTO task (id, payload) VALUES (?1, ?2)"],
        claim: [
            """
            UPDATE task SET state = 1
            WHERE id = (SELECT id FROM task WHERE state = 0 ORDER BY id LIMIT 1) RETURNING id
            """
        ],
        settle: ["DELETE FROM task WHERE id = ?1"])

    /// The rows that Sluice writes for the same work, in a store that it has made: task, attempt,
    /// tally and counters, with their indexes.
    static let own = own("Sluice's tables")

    /// The same for tasks in many queues, with a claim from each in turn.
    static let ownOfQueues = own(
        "Sluice's tables", turn: "?1", queue: "(SELECT queue FROM sluice_task WHERE id = ?1)")

    /// The same for tasks in groups of ten: their rows there, and what the end of a start frees.
    static let ownOfGroups = own(
        "Sluice's tables",
        claimed: [
            """
            UPDATE sluice_role SET state = 1, rank = CAST(printf('%016d', ?1) AS BLOB)
            WHERE queue = 1 AND name = \(group) AND task = ?1
            """,
            """
            UPDATE sluice_group SET waiting = waiting - (?1 % 10 <> 1), running = running + 1
            WHERE queue = 1 AND name = \(group)
            """,
        ],
        settled: [
            "DELETE FROM sluice_role WHERE queue = 1 AND name = \(group) AND task = ?1",
            """
            UPDATE sluice_group SET starts = starts - (?1 % 10 = 1), running = running - 1
            WHERE queue = 1 AND name = \(group)
            """,
            """
            UPDATE sluice_task SET lane = 0, marks = 0
            WHERE ?1 % 10 = 1 AND id BETWEEN ?1 + 1 AND ?1 + 9
            """,
        ])

    private static let group = "'g' || ((?1 - 1) / 10)"

    /// `turn` is the queue to claim from, and `queue` the queue of task ?1.
    private static func own(
        _ name: String, turn: String = "1", queue: String = "1", claimed: [String] = [],
        settled: [String] = []
    ) -> Self {
        RawLoop.Tables(
            name: name,
            schema: ownRunner,
            insert: ownInsert,
            claim: [
                """
                UPDATE sluice_task
                SET state = 1, lane = -1, version = version + 1, executions = 1, owner = 1,
                    token = id, attempt = 1, moment = 1, updated_at = 1
                WHERE id = (
                    SELECT id FROM sluice_task INDEXED BY sluice_task_lane
                    WHERE queue = \(turn) AND lane = 0 ORDER BY rank LIMIT 1)
                RETURNING id
                """,
                """
                UPDATE sluice_tally SET n = n - 1
                WHERE queue = \(queue) AND state = 0 AND lane = 0
                """,
                """
                INSERT INTO sluice_tally (queue, state, lane, n)
                VALUES (\(queue), 1, 0, 1)\(add)
                """,
                "UPDATE sluice_tally SET n = n + 1 WHERE queue = 0 AND state = 0 AND lane = 1",
            ] + claimed,
            settle: [
                """
                UPDATE sluice_tally SET n = n - 1
                WHERE queue = \(queue) AND state = 1 AND lane = 0
                """,
                "UPDATE sluice_tally SET n = ?1 WHERE queue = 0 AND state = 0 AND lane = 2",
                "DELETE FROM sluice_task WHERE id = ?1",
                """
                INSERT INTO sluice_attempt (
                    task, number, queue, type, runner, started_at, ended_at, outcome, is_counted,
                    end_sequence)
                VALUES (?1, 1, 'q', 't', 1, 1, 2, 'success', 1, ?1)
                """,
            ] + settled, asked: ownAsked, handOver: ownHandOver,
            read: [
                """
                SELECT queue, type, payload, token, attempt FROM sluice_task
                WHERE id = ?1 AND owner = 1
                """
            ],
            readAsked: [offers, queueRow, storeRow])
    }

    /// A waiting runner with its offered slots.
    private static let ownRunner = """
        INSERT INTO sluice_process (id, record)
        VALUES (1, json_object('kind', 'runner', 'text', printf('%.200c', 'a')));
        INSERT INTO sluice_offer (process, slots, in_hand, priority, handed)
        VALUES (1, 8, 0, 0, '[]')
        """

    private static let offers =
        "SELECT process, slots, in_hand, priority, handed FROM sluice_offer ORDER BY process"

    private static let queueRow = """
        SELECT id, name, settings, pauses, run, last_run_end, barren_runs, created_at, version
        FROM sluice_queue WHERE name = 'q'
        """

    private static let storeRow =
        "SELECT identity, durability, pauses, forced_network, version FROM sluice_store"

    /// The queries and writes that the rules require of an enqueue and a claim. They are the
    /// version known to all programs (P3), arrivals by plain SQL (E8) and the queue (Q1). Then the
    /// store's pauses (D1), the last numbers (T1), living slot offers (P6), permits (D3), the
    /// counts (Q6) and the next task (S1). The last one shrinks the offer by a slot.
    private static let ownAsked = [
        "PRAGMA data_version",
        "SELECT version FROM sluice_schema",
        """
        SELECT EXISTS (SELECT 1 FROM sluice_inbox WHERE error IS NULL)
            OR EXISTS (SELECT 1 FROM sluice_removed WHERE error IS NULL)
        """,
        queueRow,
        storeRow,
        "SELECT n FROM sluice_tally WHERE queue = 0 AND state = 1 AND lane = 1",
        "SELECT lane, n FROM sluice_tally WHERE queue = 0 AND state = 0",
        offers,
        "SELECT id, task, version, queue, issuer, runner FROM sluice_permit ORDER BY id",
        "SELECT id, record FROM sluice_process ORDER BY id",
        "SELECT state, lane, n, queue FROM sluice_tally WHERE queue = 1",
        """
        SELECT id, type, position, priority, payload
        FROM sluice_task INDEXED BY sluice_task_lane
        WHERE queue = 1 AND lane = 0 ORDER BY rank LIMIT 1
        """,
        "UPDATE sluice_offer SET in_hand = 1, handed = '[' || ?1 || ']' WHERE process = 1",
    ]

    /// The lease, the tallies of waiting and running tasks, and the number of leases.
    private static let ownHandOver = [
        """
        UPDATE sluice_task
        SET state = 1, lane = -1, version = version + 1, executions = 1, owner = 1, token = id,
            attempt = 1, moment = 1, updated_at = 1
        WHERE id = ?1
        """,
        "UPDATE sluice_tally SET n = n - 1 WHERE queue = 1 AND state = 0 AND lane = 0",
        "INSERT INTO sluice_tally (queue, state, lane, n) VALUES (1, 1, 0, 1)\(add)",
        "UPDATE sluice_tally SET n = n + 1 WHERE queue = 0 AND state = 0 AND lane = 1",
    ]

    private static let ownInsert = [
        """
        INSERT INTO sluice_task (
            id, queue, state, lane, rank, position, version, type, priority, needs, marks,
            attempts, executions, created_at, updated_at, fresh_at, depth, payload)
        VALUES (?1, 1, 0, 0, CAST(printf('%08d', ?1) AS BLOB), ?1 * 1048576, 1, 't', 0, 0,
            0, 0, 0, 1, 1, 1, 0, ?2)
        """,
        "INSERT INTO sluice_tally (queue, state, lane, n) VALUES (1, 0, 0, 1)\(add)",
        "UPDATE sluice_tally SET n = ?1 WHERE queue = 0 AND state = 0 AND lane = 0",
        """
        INSERT INTO sluice_tally (queue, state, lane, n) VALUES (0, 1, 1, ?1)
        ON CONFLICT (queue, state, lane) DO UPDATE SET n = excluded.n
        """,
    ]

    private static let add = " ON CONFLICT (queue, state, lane) DO UPDATE SET n = n + 1"
}
