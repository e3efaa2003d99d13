import SluiceSystem

/// Plain SQL on libpq with a bare table: claims and settles a hundred rows at a time, each batch in
/// one commit.
struct PostgresRaw {
    static let atOnce = 100
    let link: PostgresConnection

    init(_ address: String) throws { link = try PostgresConnection(PostgresSettings(address)) }

    /// Makes the table anew.
    func make() throws {
        try link.send("DROP TABLE IF EXISTS bare")
        try link.send(
            """
            CREATE TABLE bare (
                id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
                state INTEGER NOT NULL DEFAULT 0, payload BYTEA NOT NULL)
            """)
        try link.send("CREATE INDEX bare_waiting ON bare (id) WHERE state = 0")
        try link.settle()
    }

    /// Puts rows in with one commit.
    func insert(_ count: Int) throws {
        var values = PostgresValues()
        values.add(blobs: Array(repeating: RawLoop.payload, count: count))
        try link.send(
            "INSERT INTO bare (payload) SELECT p FROM unnest($1::bytea[]) AS p", values,
            name: "many")
        try link.settle()
    }

    /// Inserts a row in one commit, optionally with a notification.
    func insertOne(isNotified: Bool = false) throws {
        var values = PostgresValues()
        values.add(RawLoop.payload)
        if isNotified { try link.send("BEGIN") }
        try link.send("INSERT INTO bare (payload) VALUES ($1)", values, name: "one")
        if isNotified {
            try link.send("NOTIFY bare")
            try link.send("COMMIT")
        }
        try link.settle()
    }

    /// Claims and settles until no row remains.
    func drain() throws {
        while true {
            var limit = PostgresValues()
            limit.add(Int64(Self.atOnce))
            let rows = try link.rows(
                """
                UPDATE bare SET state = 1 WHERE id IN (
                    SELECT id FROM bare WHERE state = 0 ORDER BY id LIMIT $1
                    FOR UPDATE SKIP LOCKED)
                RETURNING id, payload
                """, limit, name: "claim")
            guard rows.count > 0 else { return }
            var ids = PostgresValues()
            ids.add(integers: (0..<rows.count).map { rows.integer($0, 0) })
            try link.send("DELETE FROM bare WHERE id = ANY ($1)", ids, name: "settle")
            try link.settle()
        }
    }

    /// Claims a row in one commit.
    private func claimOne() throws {
        let rows = try link.rows(
            """
            UPDATE bare SET state = 1 WHERE id IN (
                SELECT id FROM bare WHERE state = 0 ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED)
            RETURNING id, payload
            """, PostgresValues(), name: "claim one")
        guard rows.count == 1 else {
            throw Workbench.Untrue(description: "what was told is not there")
        }
    }
}

extension PostgresRaw: Woken {
    func take() throws { try claimOne() }
    func end() throws {}
}
