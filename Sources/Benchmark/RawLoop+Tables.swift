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
    static let own = RawLoop.Tables(
        name: "Sluice's tables",
        schema: "SELECT 1",
        insert: [
            """
            INSERT INTO sluice_task (
                id, queue, state, lane, rank, position, version, type, priority, needs, marks,
                attempts, executions, created_at, updated_at, fresh_at, depth, payload)
            VALUES (?1, 1, 0, 0, CAST(printf('%08d', ?1) AS BLOB), ?1 * 1048576, 1, 't', 0, 0, 0,
                0, 0, 1, 1, 1, 0, ?2)
            """,
            "INSERT INTO sluice_tally (queue, state, lane, n) VALUES (1, 0, 0, 1)\(add)",
            "UPDATE sluice_tally SET n = ?1 WHERE queue = 0 AND state = 0 AND lane = 0",
            """
            INSERT INTO sluice_tally (queue, state, lane, n) VALUES (0, 1, 1, ?1)\(behind)
            """,
        ],
        claim: [
            """
            UPDATE sluice_task
            SET state = 1, lane = -1, version = version + 1, executions = 1, owner = 1, token = id,
                attempt = 1, moment = 1, updated_at = 1
            WHERE id = (
                SELECT id FROM sluice_task INDEXED BY sluice_task_lane
                WHERE queue = 1 AND lane = 0 ORDER BY rank LIMIT 1)
            RETURNING id
            """,
            "UPDATE sluice_tally SET n = n - 1 WHERE queue = 1 AND state = 0 AND lane = 0",
            "INSERT INTO sluice_tally (queue, state, lane, n) VALUES (1, 1, 0, 1)\(add)",
            "UPDATE sluice_tally SET n = n + 1 WHERE queue = 0 AND state = 0 AND lane = 1",
        ],
        settle: [
            "DELETE FROM sluice_task WHERE id = ?1",
            """
            INSERT INTO sluice_attempt (
                task, number, queue, type, runner, started_at, ended_at, outcome, is_counted,
                end_sequence)
            VALUES (?1, 1, 'q', 't', 1, 1, 2, 'success', 1, ?1)
            """,
            "UPDATE sluice_tally SET n = n - 1 WHERE queue = 1 AND state = 1 AND lane = 0",
            "UPDATE sluice_tally SET n = ?1 WHERE queue = 0 AND state = 0 AND lane = 2",
        ])

    private static let behind = " ON CONFLICT (queue, state, lane) DO UPDATE SET n = excluded.n"
    private static let add = " ON CONFLICT (queue, state, lane) DO UPDATE SET n = n + 1"
}
