import SluiceModel
import SluiceStore
import SluiceSystem
import SluiceTestSupport
import Testing

@testable import SluiceSQL

@Suite("Many rows in one statement")
struct ManyRowsTests {
    @Test("P7 what is said of one row is said of many, with what is NULL in all of them left out")
    func words() throws {
        let insert = ManyRows(
            .insert(into: "sluice_a", ["x", "y"], numbers: ["z": 0], replacing: ["x"]),
            schema: "s")
        #expect(insert.table == "s.a" && insert.keys == [0])
        #expect(
            insert.text([.each(.integer), .each(.text)])
                == "INSERT INTO s.a (x, y, z) SELECT u.c0, u.c1, 0 "
                + "FROM unnest($1::bigint[], $2::text[]) AS u(c0, c1) "
                + "ON CONFLICT (x) DO UPDATE SET y = excluded.y")
        let added = ManyRows(
            .insert(
                into: "sluice_a", ["x", "y"], replacing: ["x"], by: "y = sluice_a.y + excluded.y"),
            schema: "s")
        #expect(
            added.text([.each(.integer), .null])
                == "INSERT INTO s.a (x, y) SELECT u.c0, NULL "
                + "FROM unnest($1::bigint[]) AS u(c0) "
                + "ON CONFLICT (x) DO UPDATE SET y = s.a.y + excluded.y")
        let update = ManyRows(.update("sluice_a", ["x", "y"], where: ["id"]), schema: "s")
        #expect(update.keys == [2] && update.isUpdate)
        #expect(
            update.text([.each(.bytes), .null, .each(.integer)])
                == "UPDATE s.a AS t SET x = u.c0, y = NULL "
                + "FROM unnest($1::bytea[], $2::bigint[]) AS u(c0, c2) WHERE t.id = u.c2")
        #expect(
            update.text([.same(.bytes), .same(.integer), .each(.integer)])
                == "UPDATE s.a AS t SET x = $1::bytea, y = $2::bigint "
                + "FROM unnest($3::bigint[]) AS u(c2) WHERE t.id = u.c2")
        let delete = ManyRows(
            .delete(from: "sluice_a", where: ["x"], numbers: ["y": 0]), schema: "s")
        #expect(
            delete.text([.each(.integer)])
                == "DELETE FROM s.a AS t USING unnest($1::bigint[]) AS u(c0) "
                + "WHERE t.x = u.c0 AND t.y = 0")
    }

    @Test("P7 a change of one row is said in the order of what is bound")
    func one() {
        let insert = RowChange.insert(into: "a", ["x", "y"], numbers: ["z": 0], replacing: ["x"])
        #expect(
            insert.sql == "INSERT INTO a (x, y, z)\nVALUES (?, ?, 0) "
                + "ON CONFLICT (x) DO UPDATE SET y = excluded.y")
        #expect(
            RowChange.update("a", ["x", "y"], where: ["id"]).sql
                == "UPDATE a SET x = ?, y = ? WHERE id = ?")
        #expect(
            RowChange.delete(from: "a", where: ["x"], numbers: ["y": 0]).sql
                == "DELETE FROM a WHERE x = ? AND y = 0")
    }

    @Test("P7 a row that is changed and then removed is sent as removed alone")
    func removed() throws {
        let connection = ServerConnection(PostgresSettings("postgres:///"), schema: "s")
        func statement(_ change: RowChange) -> ServerStatement {
            ServerStatement(
                ServerQuery.text(of: Query(change), schema: "s"), change, name: "n",
                of: connection)
        }
        let set = statement(.update("sluice_a", ["y"], where: ["x"]))
        let cut = statement(.delete(from: "sluice_a", where: ["x"]))
        let other = statement(.delete(from: "sluice_a", where: ["z"]))
        var changes = ServerChanges()
        func sent(_ statement: ServerStatement, _ row: Int64...) -> [[[ServerValue]]] {
            changes.add(statement, row.map(ServerValue.integer)).map(\.rows)
        }
        func number(_ numbers: Int64...) -> [ServerValue] { numbers.map(ServerValue.integer) }
        for id in 10...12 { #expect(sent(set, 1, Int64(id)).isEmpty) }
        for id in 10...11 { #expect(sent(cut, Int64(id)).isEmpty) }
        let left = changes.take()
        #expect(left.map(\.rows) == [[number(1, 12)], [number(10), number(11)]])
        #expect(left.map { $0.statement === set } == [true, false])
        // Before a change of a removed row, the removal goes to the server.
        #expect(sent(set, 1, 13).isEmpty && sent(cut, 13).isEmpty)
        #expect(sent(set, 2, 13) == [[number(13)]])
        // A removal by another column may match a changed row: the change goes first.
        #expect(sent(other, 7) == [[number(2, 13)]])
        #expect(changes.take().map(\.rows) == [[number(7)]])
    }

    @Test("P7 rows of one table keep their order, and none is changed twice by one statement")
    func order() throws {
        let connection = ServerConnection(PostgresSettings("postgres:///"), schema: "s")
        func statement(_ change: RowChange) -> ServerStatement {
            ServerStatement(
                ServerQuery.text(of: Query(change), schema: "s"), change, name: "n",
                of: connection)
        }
        let (add, set) = (
            statement(.insert(into: "sluice_a", ["x"])),
            statement(.update("sluice_b", ["y"], where: ["x"]))
        )
        let cut = statement(.delete(from: "sluice_a", where: ["x"]))
        var changes = ServerChanges()
        func sent(_ statement: ServerStatement, _ row: Int64...) -> [Int] {
            changes.add(statement, row.map(ServerValue.integer)).map(\.rows.count)
        }
        #expect(sent(add, 1) == [] && sent(set, 5, 1) == [] && sent(add, 2) == [])
        #expect(sent(set, 6, 2) == [] && sent(set, 7, 1) == [2])
        #expect(sent(cut, 1) == [2])
        let question = ServerStatement("SELECT 1 FROM s.b", name: "n", of: connection)
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
        let query = Query(.insert(into: "kinds", ["n", "d", "t", "b"]))
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
