import Platform
import PostgresClient

/// What plain SQL does on libpq with a bare table: rows that are claimed and settled a hundred at a
/// time, each in a commit of its own.
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

    /// Puts one row in with a commit of its own, told where that is wanted.
    func insertOne(isTold: Bool = false) throws {
        var values = PostgresValues()
        values.add(RawLoop.payload)
        if isTold { try link.send("BEGIN") }
        try link.send("INSERT INTO bare (payload) VALUES ($1)", values, name: "one")
        if isTold {
            try link.send("NOTIFY bare")
            try link.send("COMMIT")
        }
        try link.settle()
    }

    /// Claims and settles until nothing is left.
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

    /// Claims a row in a commit of its own.
    func claimOne() throws {
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

    /// Milliseconds from before an insert to the moment at which another connection is told of it,
    /// or has claimed it.
    static func wake(_ address: String, count: Int, claims: Bool = false) throws -> [Double] {
        let raw = try PostgresRaw(address)
        // The first moment is that it listens.
        let told = Protected<[UInt64]>([])
        let thread = try Thread(name: "listener") {
            try? listen(address, claims: claims) { moment in
                told.withLock { told in
                    told.append(moment)
                    return told.count <= count
                }
            }
        }
        func wait(for number: Int) throws {
            let end = SystemClock.monotonicMilliseconds() + 10_000
            while told.withLock({ $0.count }) <= number {
                guard SystemClock.monotonicMilliseconds() < end else {
                    throw Workbench.Untrue(description: "NOTIFY was not heard")
                }
                _ = try Poll.wait(fds: [], timeoutMilliseconds: 1)
            }
        }
        try wait(for: 0)
        var times: [Double] = []
        for number in 1...count {
            _ = try Poll.wait(fds: [], timeoutMilliseconds: 5)
            let before = SystemClock.monotonicNanoseconds()
            try raw.insertOne(isTold: true)
            try wait(for: number)
            times.append(told.withLock { Double($0[number] - before) / 1e6 })
        }
        thread.join()
        return times
    }

    /// Listens, and tells each moment, until nothing more is wanted.
    private static func listen(
        _ address: String, claims: Bool, _ tell: (UInt64) -> Bool
    ) throws {
        let link = try PostgresConnection(PostgresSettings(address))
        let claimer = claims ? try PostgresRaw(address) : nil
        try link.send("LISTEN bare")
        try link.settle()
        var goesOn = tell(0)
        while goesOn {
            _ = try Poll.wait(fds: [PollInterest(link.socket)], timeoutMilliseconds: 10_000)
            let isNews = try !link.takeNotices().isEmpty
            if isNews { try claimer?.claimOne() }
            if isNews { goesOn = tell(SystemClock.monotonicNanoseconds()) }
        }
    }
}
