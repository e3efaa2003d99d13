import SluiceModel
import SluiceStore
import SluiceSystem
import SluiceTestSupport
import Testing

@testable import SluiceSQL

@Suite("A server and its stores", .enabled(if: PostgresServer.isInstalled))
struct ServerTests {
    @Test("P7 values go and come as they are, and an error has its code and spoils nothing")
    func values() throws {
        let link = try PostgresConnection(
            PostgresSettings(try PostgresServer.shared().address))
        var values = PostgresValues()
        values.add(Int64.min)
        values.add("é\u{1F600}'\\")
        values.add([0, 255, 39, 0])
        values.add(0.1)
        values.addNull()
        let sql = "SELECT $1::bigint, $2::text, $3::bytea, $4::float8, $5::text, true, 7::int2"
        for name in [nil, "named", "named"] {
            let rows = try link.rows(sql, values, name: name)
            #expect(rows.integer(0, 0) == .min && rows.text(0, 1) == "é\u{1F600}'\\")
            #expect(rows.bytes(0, 2) == [0, 255, 39, 0] && rows.double(0, 3) == 0.1)
            #expect(rows.isNull(0, 4) && rows.integer(0, 5) == 1 && rows.integer(0, 6) == 7)
            let error = #expect(throws: PostgresError.self) { try link.rows("SELECT 1 / 0") }
            #expect(error?.code == "22012")
        }
        try link.send("CREATE TEMP TABLE few (n int)")
        for number in 0..<450 { try link.send("INSERT INTO few VALUES (\(number))") }
        #expect(try link.rows("SELECT count(*) FROM few").integer(0, 0) == 450)
        try link.send("INSERT INTO nowhere VALUES (1)")
        try link.send("INSERT INTO few VALUES (1)")
        let late = #expect(throws: PostgresError.self) { try link.settle() }
        #expect(late?.code == "42P01")
    }

    @Test("P7 K6 a commit is told to whoever watches, in this process and in others")
    func notices() throws {
        let place = try ServerPlace()
        let (first, second) = (try place.open(), try place.open())
        defer { first.close(); second.close() }
        let told = Waiter()
        let watch = try second.observe { told.add() }
        // The first is that it watches now.
        #expect(told.passes(0))
        let before = told.count
        try first.makeQueue("q")
        #expect(told.passes(before))
        withExtendedLifetime(watch) {}
    }

    @Test("A2 a lock that a process of this machine let go is told")
    func locks() throws {
        let place = try ServerPlace()
        let store = try place.open()
        defer { store.close() }
        let told = Waiter()
        let watch = try store.observe { told.add() }
        #expect(told.passes(0))
        let before = told.count
        let folder = try #require(store.runFolder)
        try FileLock.tryLock("\(folder)/1-x.lock")?.removeAndRelease()
        #expect(told.passes(before))
        withExtendedLifetime(watch) {}
    }

    @Test("P7 a store outlives a restart and a crash of its server", arguments: [false, true])
    func restart(isCrash: Bool) throws {
        let server = try PostgresServer()
        let place = try ServerPlace(server)
        let store = try place.open()
        defer { store.close() }
        try store.makeQueue("a")
        let told = Waiter()
        let watch = try store.observe { told.add() }
        #expect(told.passes(0))
        let before = told.count
        try server.stop(isCrash: isCrash)
        #expect(told.passes(before))
        let gone = #expect(throws: QueueError.self) { try store.makeQueue("b") }
        #expect(gone?.code == .serverGone)
        let unread = #expect(throws: QueueError.self) { try store.queueNames() }
        #expect(unread?.code == .serverGone)
        let away = told.count
        try server.start()
        // The watch reconnects automatically and reports it.
        #expect(told.passes(away))
        #expect(try retried { try store.queueNames() } == ["a"])
        try retried { try store.makeQueue("c") }
        #expect(try store.queueNames() == ["a", "c"])
        withExtendedLifetime(watch) {}
    }

    /// Does it again while the server is not asked yet.
    @discardableResult
    private func retried<Value>(_ body: () throws -> Value) throws -> Value {
        for _ in 0..<100 {
            do {
                return try body()
            } catch let error as QueueError where error.code == .serverGone {
                _ = try Poll.wait(fds: [], timeoutMilliseconds: 100)
            }
        }
        return try body()
    }

    @Test("P2 a transaction of a process that is stopped in the middle undoes itself")
    func broken() throws {
        let place = try ServerPlace()
        let store = try place.open()
        defer { store.close() }
        try store.makeQueue("a")
        let schema = place.schema
        let lost = #expect(throws: QueueError.self) {
            try store.writeBlocking { writer in
                try writer.put(QueueRecord(name: "b", createdAt: at(0)))
                // Only this one has its transaction open and holds a lock on these tables.
                try place.run(
                    """
                    SELECT pg_terminate_backend(l.pid) FROM pg_locks l
                    JOIN pg_class c ON c.oid = l.relation
                    JOIN pg_namespace n ON n.oid = c.relnamespace
                    WHERE n.nspname = '\(schema)' AND l.pid <> pg_backend_pid() LIMIT 1
                    """)
                _ = try writer.queues()
            }
        }
        #expect(lost?.code == .serverGone)
        #expect(try retried { try store.queueNames() } == ["a"])
        try retried { try store.makeQueue("c") }
    }

    @Test("P7 who holds a lock on a table, or the turn of those who write, is named")
    func blockers() throws {
        let place = try ServerPlace()
        let store = try place.open()
        defer { store.close() }
        let settings = PostgresSettings(place.server.address)
        func blocker() -> ServerBlocker? {
            ServerBlocker(settings, schema: place.schema, waiter: 0)
        }
        #expect(blocker() == nil)
        let other = try PostgresConnection(settings)
        try other.send("BEGIN")
        try other.send("LOCK TABLE \(place.schema).task")
        try other.settle()
        let locked = try #require(blocker())
        #expect(locked.table == "task" && locked.process == Int64(other.backend))
        try other.send("ROLLBACK")
        try other.send("BEGIN")
        let turn = ServerLocks.take(ServerLocks.writers, place.schema)
        _ = try other.rows("SELECT \(turn)")
        let writing = try #require(blocker())
        #expect(writing.table == nil && writing.process == Int64(other.backend))
        let told = ServerFailure(store: "postgres://h/d").locked(by: locked)
        #expect(told.code == .storeBusy)
        #expect(told.message.contains("table task of postgres://h/d has been locked by process"))
        #expect(told.fix.contains("pg_terminate_backend(\(other.backend))"))
    }
}
