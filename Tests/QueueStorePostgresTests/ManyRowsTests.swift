import SluiceModel
import SluicePostgresClient
import SluicePostgresHarness
import SluiceStore
import SluiceTables
import Testing

@testable import SluicePostgresStore

@Suite("Many rows in one statement")
struct ManyRowsTests {
    @Test("P7 what is said of one row is said of many, with what is NULL in all of them left out")
    func words() throws {
        let insert = try #require(
            ManyRows(
                "INSERT INTO s.a (x, y, z)\nVALUES ($1, $2, 0) "
                    + "ON CONFLICT (x) DO UPDATE SET y = excluded.y"))
        #expect(insert.table == "s.a" && insert.keys == [0])
        #expect(
            insert.text([.each(.integer), .each(.text)])
                == "INSERT INTO s.a (x, y, z) SELECT u.c0, u.c1, 0 "
                + "FROM unnest($1::bigint[], $2::text[]) AS u(c0, c1) "
                + "ON CONFLICT (x) DO UPDATE SET y = excluded.y")
        let update = try #require(ManyRows("UPDATE s.a SET x = $1, y = $2 WHERE id = $3"))
        #expect(update.keys == [2])
        #expect(
            update.text([.each(.bytes), .null, .each(.integer)])
                == "UPDATE s.a AS t SET x = u.c0, y = NULL "
                + "FROM unnest($1::bytea[], $2::bigint[]) AS u(c0, c2) WHERE t.id = u.c2")
        #expect(
            update.text([.same(.bytes), .same(.integer), .each(.integer)])
                == "UPDATE s.a AS t SET x = $1::bytea, y = $2::bigint "
                + "FROM unnest($3::bigint[]) AS u(c2) WHERE t.id = u.c2")
        let delete = try #require(ManyRows("DELETE FROM s.a WHERE x = $1 AND y = 0"))
        #expect(
            delete.text([.each(.integer)])
                == "DELETE FROM s.a AS t USING unnest($1::bigint[]) AS u(c0) "
                + "WHERE t.x = u.c0 AND t.y = 0")
    }

    @Test(
        "P7 what is decided by more than the row itself is said of one row at a time",
        arguments: [
            "UPDATE s.a SET x = coalesce($1, x) WHERE id = $2", "DELETE FROM s.a",
            "DELETE FROM s.a WHERE x = $1 OR y = $1", "INSERT INTO s.a (x) SELECT y FROM s.b",
            "DELETE FROM s.a WHERE x IN (SELECT y FROM s.b WHERE z = $1)",
            "UPDATE s.a SET x = x & ~$2 WHERE y = $1", "INSERT INTO s.a (x) VALUES ($1), ($2)",
        ])
    func others(_ sql: String) { #expect(ManyRows(sql) == nil) }

    @Test("P7 rows of one table keep their order, and none is changed twice by one statement")
    func order() throws {
        let connection = ServerConnection(PostgresSettings("postgres:///"), schema: "s")
        func statement(_ sql: String) -> ServerStatement {
            ServerStatement(sql, name: "n", of: connection)
        }
        let (add, set) = (
            statement("INSERT INTO s.a (x) VALUES ($1)"),
            statement("UPDATE s.b SET y = $1 WHERE x = $2")
        )
        let cut = statement("DELETE FROM s.a WHERE x = $1")
        var changes = ServerChanges()
        func sent(_ statement: ServerStatement, _ row: Int64...) -> [Int] {
            changes.add(statement, row.map(ServerValue.integer)).map(\.rows.count)
        }
        #expect(sent(add, 1) == [] && sent(set, 5, 1) == [] && sent(add, 2) == [])
        #expect(sent(set, 6, 2) == [] && sent(set, 7, 1) == [2])
        #expect(sent(cut, 1) == [2])
        let question = statement("SELECT 1 FROM s.b")
        #expect(changes.take(askedBy: question).map(\.rows.count) == [1])
        #expect(changes.take().map(\.statement.sql) == [cut.sql])
        #expect(changes.isEmpty)
    }

    @Test(
        "P7 values of every kind come back from many rows",
        .enabled(if: PostgresServer.isInstalled))
    func values() throws {
        let place = try ServerPlace()
        let connection = try place.connect()
        try connection.execute(
            "CREATE TEMP TABLE kinds (n BIGINT PRIMARY KEY, d DOUBLE PRECISION, t TEXT, b BYTEA)")
        let query = Query("INSERT INTO kinds (n, d, t, b) VALUES (?, ?, ?, ?)")
        try connection.execute("BEGIN")
        for number in 0..<10 as Range<Int64> {
            let row = try connection.prepare(query)
            row.bind(number == 0 ? .min : number)
            row.bind(number % 2 == 0 ? nil : Double(number) / 4)
            row.bind(number == 3 ? nil : "é'{,\"\(number)\0")
            row.bind(number == 4 ? nil : [UInt8](repeating: UInt8(number), count: Int(number)))
            try row.run()
        }
        try connection.settle()
        let all = try connection.prepare(Query("SELECT n, d, t, b FROM kinds ORDER BY n"))
        var seen: [Int64] = []
        while try all.next() {
            let number = all.integer(0) == .min ? 0 : all.integer(0)
            seen.append(number)
            #expect(all.optionalDouble(1) == (number % 2 == 0 ? nil : Double(number) / 4))
            #expect(all.optionalText(2) == (number == 3 ? nil : "é'{,\"\(number)\0"))
            #expect(all.optionalBytes(3)?.count == (number == 4 ? nil : Int(number)))
        }
        #expect(seen == Array(0..<10))
    }
}
