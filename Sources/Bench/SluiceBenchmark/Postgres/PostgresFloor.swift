import SluiceSystem

/// The floor for SQL on libpq with Sluice's tables and rows, with minimal statements and round
/// trips. One commit settles 64 tasks and claims 64. It evaluates no rules.
struct PostgresFloor {
    static let atOnce = 64

    /// The method that keeps concurrent workers apart.
    enum Way: String, CaseIterable {
        case skipLocked = "SKIP LOCKED"
        case turns = "one lock"

        /// The subcommand for a child process.
        var word: String { self == .turns ? "__pg-floor-turns" : "__pg-floor-skip" }
    }

    private let link: PostgresConnection
    private let way: Way

    init(_ address: String, _ way: Way) throws {
        link = try Self.connected(address)
        self.way = way
    }

    /// A connection that plans as Sluice's do.
    static func connected(_ address: String) throws -> PostgresConnection {
        let link = try PostgresConnection(PostgresSettings(address))
        try link.send(
            """
            SELECT set_config('plan_cache_mode', 'force_generic_plan', false),
                set_config('enable_seqscan', 'off', false),
                set_config('enable_bitmapscan', 'off', false), set_config('jit', 'off', false)
            """)
        try link.settle()
        return link
    }

    /// Creates a sequence without contention.
    static func prepare(_ address: String) throws {
        let link = try PostgresConnection(PostgresSettings(address))
        try link.send("CREATE SEQUENCE sluice.floor CACHE 64")
        try link.settle()
    }

    /// Settles and claims until no task remains. Each commit is durable before its claimed tasks
    /// would start.
    func drain() throws {
        var ended: [Int64] = []
        while true {
            let claimed = try turn(ended)
            if claimed.isEmpty, ended.isEmpty { return }
            ended = claimed
        }
    }

    private func turn(_ ended: [Int64]) throws -> [Int64] {
        let now = SystemClock.nowMilliseconds()
        try link.send("BEGIN", name: "begin")
        if way == .turns {
            try link.send("SELECT pg_advisory_xact_lock(1, 1)", name: "turn")
        }
        if !ended.isEmpty {
            var values = PostgresValues()
            values.add(integers: ended)
            try link.send("DELETE FROM sluice.task WHERE id = ANY ($1)", values, name: "forget")
            values.add(now)
            try link.send(Self.attempt, values, name: "attempt")
        }
        var values = PostgresValues()
        values.add(now)
        values.add(Int64(ended.count))
        try link.send(claim, values, name: "claim")
        try link.send(
            "SELECT pg_notify('floor', ''), set_config('synchronous_commit', 'off', true)",
            name: "leave")
        try link.send("COMMIT", name: "commit")
        try link.send("SELECT pg_logical_emit_message(true, 'floor', '')", name: "disk")
        // The last two answers belong to the commit and the flush.
        let claimed = try link.rowsOfAll().dropLast(2).last
        guard let claimed else { throw Workbench.Untrue(description: "no answer") }
        return (0..<claimed.count).map { claimed.integer($0, 0) }
    }

    private static let attempt =
        """
        INSERT INTO sluice.attempt (task, number, queue, type, runner, started_at, ended_at,
            outcome, is_counted, end_sequence)
        SELECT c, 1, 'q', 't', 1, $2, $2, 'success', 1, nextval('sluice.floor')
        FROM unnest($1::bigint[]) AS c
        """

    private var claim: String {
        """
        WITH claimed AS (
            UPDATE sluice.task SET state = 1, lane = -1, rank = int8send($1::bigint),
                version = version + 1, executions = executions + 1, updated_at = $1, moment = $1,
                owner = 1, token = nextval('sluice.floor'), attempt = executions + 1
            WHERE id = ANY (ARRAY (
                SELECT id FROM sluice.task WHERE queue = 1 AND lane = 0
                ORDER BY rank LIMIT \(Self.atOnce)
                \(way == .skipLocked ? "FOR UPDATE SKIP LOCKED" : "")))
            RETURNING id, payload, token
        ), counted AS (
            INSERT INTO sluice.tally (queue, state, lane, n)
            SELECT 1, s.state, 0, s.n
            FROM (SELECT count(*) AS n FROM claimed) AS c,
                LATERAL (VALUES (0, -c.n), (1, c.n - $2::bigint)) AS s (state, n)
            ON CONFLICT (queue, state, lane) DO UPDATE SET n = sluice.tally.n + excluded.n
        )
        SELECT id, payload, token FROM claimed
        """
    }
}
