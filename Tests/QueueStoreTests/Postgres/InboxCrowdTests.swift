import SluiceModel
import SluiceStore
import SluiceSystem
import SluiceTestSupport
import Testing

@testable import SluiceSQL

/// The inbox under load: many applications, repairs of rows, hostile roles, a full disk.
@Suite("An inbox among others", .enabled(if: PostgresServer.isInstalled))
struct InboxCrowdTests {
    @Test("T4 P7 many rows are taken in by several commits, and no order is lost between them")
    func slices() throws {
        let place = try ServerPlace()
        let store = try place.open()
        defer { store.close() }
        try ServerApp(place).run(
            """
            DO $$ BEGIN
            FOR n IN 1..2500 LOOP
                INSERT INTO inbox (queue, type, unique_key) VALUES ('q', 't', 'k' || n % 7);
                INSERT INTO removed (queue, type, unique_key) VALUES ('q', 't', 'k' || n % 7);
                IF n % 3 = 0 THEN INSERT INTO inbox (queue, type) VALUES ('q', 'stays'); END IF;
            END LOOP;
            END $$
            """)
        try store.takeIn()
        let left = try store.waiting()
        #expect(left.count == 833 && left.allSatisfy { $0.type == "stays" })
        #expect(left.map(\.id) == left.map(\.id).sorted())
        #expect(try store.inbox() == InboxSummary())
    }

    @Test("T4 P7 payloads are fetched some megabytes at a time")
    func bytes() throws {
        let place = try ServerPlace()
        let store = try place.open()
        defer { store.close() }
        try ServerApp(place).run(
            """
            INSERT INTO inbox (queue, type, payload)
            SELECT 'q', 't' || n, repeat('x', 1000000) FROM generate_series(1, 20) n;
            INSERT INTO removed (task) SELECT 99 FROM generate_series(1, 3)
            """)
        let slices = try store.writeBlocking { writer in
            // The slices before this body took every row in.
            try (writer as? any InboxWriter)?.inboxEntries(limit: 1000).count
        }
        #expect(slices == 0)
        #expect(try store.waiting().map(\.type) == (1...20).map { "t\($0)" })
        let events = try store.readBlocking { try $0.journal(JournalQuery(limit: 9)) }
        #expect(events.count == 3, "9 megabytes at a time: \(events)")
    }

    @Test("T4 P7 a task and its removal in one transaction are one, whenever they are looked at")
    func oneMoment() throws {
        let place = try ServerPlace()
        let (store, app) = (try place.open(), try ServerApp(place))
        defer { store.close() }
        let isOver = Protected(false)
        let taker = try Thread(name: "taker") {
            while !isOver.withLock({ $0 }) { try? store.takeIn() }
        }
        for number in 0..<Soak.count(1000, soak: 10_000) {
            try app.run(
                """
                INSERT INTO inbox (queue, type, unique_key) VALUES ('q', 't', 'k\(number)');
                INSERT INTO removed (queue, type, unique_key) VALUES ('q', 't', 'k\(number)')
                """)
        }
        isOver.withLock { $0 = true }
        taker.join()
        try store.takeIn()
        #expect(try store.waiting() == [])
    }

    @Test("T4 P7 a row that somebody fixes is passed over until that is done")
    func mended() throws {
        let place = try ServerPlace()
        let (store, app) = (try place.open(), try ServerApp(place))
        defer { store.close() }
        try app.enqueue(["a", "b"])
        let mender = try PostgresConnection(
            PostgresSettings(place.server.address), isPipelined: false)
        try mender.run("BEGIN; DELETE FROM \(place.schema).inbox WHERE type = 'a'")
        try store.takeIn()
        #expect(try store.waiting().map(\.type) == ["b"])
        try mender.run("ROLLBACK")
        try store.takeIn()
        #expect(try store.waiting().map(\.type) == ["b", "a"])
    }

    @Test("T4 P7 what keeps coming holds no write up")
    func stream() throws {
        let place = try ServerPlace()
        let (store, app) = (try place.open(), try ServerApp(place))
        defer { store.close() }
        // Each row that enters the store inserts another one.
        try place.run(
            """
            CREATE FUNCTION \(place.schema).again() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                INSERT INTO \(place.schema).inbox (queue, type) VALUES ('q', 'again');
                RETURN NULL;
            END
            $$;
            CREATE TRIGGER again AFTER DELETE ON \(place.schema).inbox
            FOR EACH ROW EXECUTE FUNCTION \(place.schema).again()
            """)
        try app.enqueue(["a", "b"])
        try store.takeIn()
        #expect(try store.waiting().map(\.type) == ["a", "b"])
        #expect(try store.inbox().tasks == ["q": 2])
    }

    @Test("T4 P7 an application may insert and nothing else, and its names are nobody's")
    func rights() throws {
        let place = try ServerPlace()
        let (store, app) = (try place.open(), try ServerApp(place))
        defer { store.close() }
        let (schema, own) = (place.schema, "own_\(place.schema)")
        for refused in [
            "SELECT * FROM inbox", "DELETE FROM inbox", "UPDATE inbox SET queue = 'x'",
            "SELECT nextval('inbox_number')", "INSERT INTO task (id) VALUES (1)",
            "SELECT * FROM task", "TRUNCATE inbox",
        ] {
            let said = app.refusal(refused) ?? "nothing"
            #expect(said.contains("permission denied"), "\(refused): \(said)")
        }
        // A schema with functions of the same names, first on the search path.
        try place.run("CREATE SCHEMA \(own) AUTHORIZATION \(app.role)")
        defer { try? place.run("DROP SCHEMA \(own) CASCADE") }
        try app.run(
            """
            CREATE TABLE \(own).seen (who TEXT);
            CREATE FUNCTION \(own).nextval(regclass) RETURNS bigint LANGUAGE plpgsql AS $$
            BEGIN INSERT INTO \(own).seen VALUES (current_user); RETURN 1; END $$;
            CREATE FUNCTION \(own).pg_notify(text, text) RETURNS void LANGUAGE plpgsql AS $$
            BEGIN INSERT INTO \(own).seen VALUES (current_user); END $$;
            CREATE FUNCTION \(own).char_length(text) RETURNS integer LANGUAGE plpgsql AS $$
            BEGIN INSERT INTO \(own).seen VALUES (current_user); RETURN 1; END $$;
            SET search_path = \(own), pg_catalog, \(schema)
            """)
        for function in ["number_inbox", "tell_inbox"] {
            let trigger = """
                CREATE TRIGGER mine BEFORE INSERT ON \(own).seen
                FOR EACH ROW EXECUTE FUNCTION \(schema).\(function)()
                """
            #expect(app.refusal(trigger)?.contains("permission denied") == true)
        }
        try app.enqueue(["a"])
        try store.takeIn()
        #expect(try store.waiting().map(\.type) == ["a"])
        #expect(try place.value(of: "SELECT count(*) FROM \(own).seen") == "0")
    }

    @Test("P2 P7 T4 a disk that is full at any statement loses no row and takes none in twice")
    func everyStatement() throws {
        let place = try ServerPlace()
        let faults = WriteFaults()
        let (store, app) = (try place.open(faults: faults), try ServerApp(place))
        defer { store.close() }
        try store.writeBlocking { _ = try $0.reserveNumber() }
        try app.enqueue(["a", "b"])
        try app.run("INSERT INTO removed (task) VALUES (1)")
        try app.enqueue(["bad"], columns: "requires", values: "'[\"wings\"]'")
        var failing = 0
        while true {
            failing += 1
            faults.fail(from: failing)
            do {
                try store.takeIn()
                break
            } catch {
                #expect((error as? QueueError)?.code == .diskFull)
                #expect(try store.inbox().tasks == ["q": 3])
                #expect(try store.queueNames() == [])
            }
        }
        #expect(failing > 8)
        faults.fail(from: nil)
        #expect(try store.waiting().map(\.type) == ["b"])
        #expect(try store.inbox().refused.count == 1)
    }

    @Test("P4 P7 T4 a store of the version before gets an inbox")
    func migration() throws {
        let place = try ServerPlace()
        let (schema, steps) = (place.schema, ServerSchema.history.migrations)
        let before = try #require(
            steps.firstIndex { $0.statements.contains { $0.contains("TABLE sluice.inbox ") } })
        try place.run("CREATE SCHEMA \(schema)")
        for statement in steps[..<before].flatMap(\.statements) {
            try place.run(statement.replacing("sluice.", by: "\(schema)."))
        }
        try place.run(
            """
            UPDATE \(schema).schema SET version = \(before);
            INSERT INTO \(schema).store (identity, durability, pauses, version)
            VALUES ('old', 'full', '[]', 1)
            """)
        let store = try place.open()
        defer { store.close() }
        try ServerApp(place).enqueue(["a"])
        try store.takeIn()
        #expect(try store.waiting().map(\.type) == ["a"])
    }
}

@Suite("An inbox behind a pooler", .enabled(if: PostgresPooler.isInstalled))
struct InboxPoolerTests {
    @Test("T4 P7 behind a pooler what an application commits is found by looking")
    func pooled() throws {
        let place = try ServerPlace()
        let pooler = try PostgresPooler(before: place.server)
        let store = try PostgresStore.open(
            address: pooler.address, schema: place.schema,
            machineFolder: "\(place.server.folder)/inbox-locks", createIfMissing: true)
        defer { store.close() }
        let told = Waiter()
        let watch = try store.observe(at: nil) { told.add() }
        defer { withExtendedLifetime(watch) {} }
        #expect(told.passes(0))
        try ServerApp(place).enqueue(["a"])
        let before = told.count
        #expect(told.passes(before))
        try store.takeIn()
        #expect(try store.waiting().map(\.type) == ["a"])
    }
}
