import SluiceSystem

/// The floor for an enqueue, a claim and an end in SQL on libpq with Sluice's tables. It writes the
/// rows of Sluice and sends the queries of its rules, with minimal round trips. It evaluates no
/// rules.
final class PostgresWakeFloor: Woken {
    private let link: PostgresConnection
    private var number: Int64 = 0

    init(_ address: String) throws { link = try PostgresFloor.connected(address) }

    /// Asks for the last position, then puts a task in.
    func enqueue() throws {
        try begin()
        try link.send(
            """
            SELECT coalesce(
                (SELECT n FROM sluice.tally WHERE queue = 0 AND state = 1 AND lane = 1), 0)
            """, name: "position")
        _ = try link.rowsOfAll()
        number += 1
        var values = PostgresValues()
        values.add(number)
        values.add(RawLoop.payload)
        try link.send(
            """
            INSERT INTO sluice.task (
                id, queue, state, lane, rank, position, version, type, priority, needs, marks,
                attempts, executions, created_at, updated_at, fresh_at, depth, payload)
            VALUES ($1, 1, 0, 0, int8send($1::bigint), $1 * 1048576, 1, 't', 0, 0, 0,
                0, 0, 1, 1, 1, 0, $2)
            """, values, name: "task")
        try count("given", "task", ["(0, 1, 1, $1)", "(1, 0, 0, 1)"])
        try commit(telling: PostgresWake.channel)
    }

    /// Asks what there is, then claims the next.
    func take() throws {
        try ask()
        let found = try link.rowsOfAll()
        guard let next = found.last, next.count == 1 else {
            throw Workbench.Untrue(description: "what was told is not there")
        }
        number = next.integer(0, 0)
        var values = PostgresValues()
        values.add(number)
        try link.send(
            """
            UPDATE sluice.task SET state = 1, lane = -1, rank = int8send($1::bigint),
                version = version + 1, executions = executions + 1, updated_at = 1, moment = 1,
                owner = 1, token = $1, attempt = executions + 1
            WHERE id = $1
            """, values, name: "claim")
        try count("leased", "number", ["(1, 0, 0, -1)", "(1, 1, 0, 1)"])
        try commit(telling: "claimed")
    }

    /// Queries the next task, then ends the claimed one.
    func end() throws {
        try ask()
        _ = try link.rowsOfAll()
        var values = PostgresValues()
        values.add(number)
        try link.send("DELETE FROM sluice.task WHERE id = $1", values, name: "forget")
        values.add(number)
        try link.send(
            """
            INSERT INTO sluice.attempt (task, number, queue, type, runner, started_at, ended_at,
                outcome, is_counted, end_sequence)
            VALUES ($1, 1, 'q', 't', 1, 1, 2, 'success', 1, $2)
            """, values, name: "attempt")
        try count("ended", "journal", ["(1, 1, 0, -1)"])
        try commit(telling: "ended")
    }

    /// Whose turn it is (Q1), and the numbers with the version that all programs know (P3).
    private func begin() throws {
        try link.send("BEGIN", name: "begin")
        try link.send("SELECT pg_advisory_xact_lock(1, 1)", name: "turn")
        try link.send(
            "SELECT n.name, n.value, s.version FROM sluice.number n, sluice.schema s",
            name: "numbers")
    }

    /// Queries the next timer and expiry (S1), the counts (Q6), and the next task (S1).
    private func ask() throws {
        try begin()
        try link.send(
            """
            SELECT (SELECT min(wakes_at) FROM sluice.task WHERE wakes_at IS NOT NULL),
                (SELECT min(expiring_at) FROM sluice.task WHERE expiring_at IS NOT NULL)
            """, name: "moments")
        try link.send(
            "SELECT state, lane, n, queue FROM sluice.tally WHERE queue = 1", name: "counts")
        try link.send(
            """
            SELECT id, version, queue, type, position, priority, attempts, created_at, payload
            FROM sluice.task WHERE queue = 1 AND lane = 0 ORDER BY rank LIMIT 1
            """, name: "next")
    }

    /// Raises a counter, and the rows that count what there is, the last position among them.
    private func count(_ name: String, _ counter: String, _ rows: [String]) throws {
        var values = PostgresValues()
        values.add(number)
        try link.send(
            "UPDATE sluice.number SET value = $1 WHERE name = '\(counter)'", values,
            name: "\(name) number")
        if !rows.contains(where: { $0.contains("$1") }) { values.removeAll() }
        try link.send(
            """
            INSERT INTO sluice.tally (queue, state, lane, n)
            VALUES \(rows.joined(separator: ", "))
            ON CONFLICT (queue, state, lane) DO UPDATE SET n = CASE
                WHEN excluded.queue > 0 THEN sluice.tally.n + excluded.n ELSE excluded.n END
            """, values, name: "\(name) count")
    }

    /// Durable before it answers, and told.
    private func commit(telling channel: String) throws {
        try link.send(
            "SELECT pg_notify('\(channel)', ''), set_config('synchronous_commit', 'off', true)",
            name: "tell \(channel)")
        try link.send("COMMIT", name: "commit")
        try link.send("SELECT pg_logical_emit_message(true, 'floor', '')", name: "disk")
        try link.settle()
    }
}
