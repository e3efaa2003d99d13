import SluiceModel
import SluiceStore
import SluiceSystem
import SluiceTestSupport
import Testing

@testable import SluiceSQL

@Suite("Opening a store at a server", .enabled(if: PostgresServer.isInstalled))
struct PostgresOpeningTests {
    @Test("P4 a store is made on demand alone, and opened again as it was")
    func making() throws {
        let place = try ServerPlace()
        #expect(
            refusal { () throws(QueueError) in
                try place.open(createIfMissing: false)
            }?.code == .noStore)
        #expect(
            refusal { () throws(QueueError) in try place.open(readOnly: true) }?.code == .noStore)
        let store = try place.open()
        defer { store.close() }
        try store.makeQueue("q")
        let other = try place.open(createIfMissing: false)
        defer { other.close() }
        #expect(try other.queueNames() == ["q"])
        let reader = try place.open(readOnly: true)
        defer { reader.close() }
        #expect(try reader.queueNames() == ["q"])
        #expect(throws: QueueError.self) { try reader.makeQueue("r") }
        let identities = try [store, other, reader].map { store in
            try store.readBlocking { try $0.storeRecord().identity }
        }
        #expect(Set(identities).count == 1)
    }

    @Test("P4 many who make the same store in the same moment make one")
    func together() throws {
        let place = try ServerPlace()
        let opened = Protected<[Result<PostgresStore, QueueError>]>([])
        let threads = try (0..<4).map { number in
            try Thread(name: "maker \(number)") {
                let result = Result { () throws(QueueError) in try place.open() }
                opened.withLock { $0.append(result) }
            }
        }
        for thread in threads { thread.join() }
        let stores = try opened.withLock { $0 }.map { try $0.get() }
        defer { for store in stores { store.close() } }
        for (number, store) in stores.enumerated() { try store.makeQueue("q\(number)") }
        #expect(try stores[0].queueNames().count == 4)
    }

    @Test("P4 a newer schema is refused at opening, and at the next commit of who is open")
    func newer() throws {
        let place = try ServerPlace()
        let store = try place.open()
        defer { store.close() }
        try store.makeQueue("q")
        let change = "UPDATE \(place.schema).schema SET version = version"
        try place.run("\(change) + 1, oldest = version + 1")
        let refused = refusal { () throws(QueueError) in try place.open() }
        #expect(refused?.code == .newerSchema)
        #expect(throws: QueueError.self) { try store.makeQueue("r") }
        #expect(try store.queueNames() == ["q"])
        try place.run("\(change) - 1, oldest = version - 1")
        try store.makeQueue("r")
        #expect(try store.queueNames() == ["q", "r"])
    }

    @Test("P4 newer tables that this version can work with are worked with")
    func neighbours() throws {
        let place = try ServerPlace()
        let store = try place.open()
        defer { store.close() }
        let schema = place.schema
        try place.run("ALTER TABLE \(schema).task ADD COLUMN later BIGINT NOT NULL DEFAULT 0")
        try place.run("UPDATE \(schema).schema SET version = version + 1")
        try store.makeQueue("a")
        let late = try place.open()
        try late.makeQueue("b")
        late.close()
        try place.open(readOnly: true, createIfMissing: false).close()
        #expect(try store.queueNames() == ["a", "b"])
        try place.run("UPDATE \(schema).schema SET oldest = version")
        let refused = #expect(throws: QueueError.self) { try store.makeQueue("c") }
        #expect(refused?.code == .newerSchema)
    }

    static let firstUses: [(Int, @Sendable (any StoreWriter) throws -> Void)] = [
        (
            TableHistory.stopping.server,
            { writer in
                var record = try writer.storeRecord()
                record.breakpoints.last = 1
                record.breakpoints.all = [
                    try Breakpoint(number: 1, filter: TaskFilter("type:a"), by: "ann")
                ]
                try writer.put(record)
            }
        ),
        (
            TableHistory.injecting.server,
            { writer in
                var record = try writer.storeRecord()
                record.faults.last = 1
                record.faults.all = [
                    try Fault(number: 1, filter: TaskFilter("type:a"), kind: .twice, by: "ann")
                ]
                try writer.put(record)
            }
        ),
        (
            TableHistory.clocked.server,
            { writer in
                var record = try writer.storeRecord()
                record.clock = ClockSetting(.frozen(at: at(5)), by: "ann", since: at(7))
                try writer.put(record)
            }
        ),
        (
            TableHistory.pacing.server,
            { writer in
                var queue = QueueRecord(name: "q", createdAt: at(1))
                queue.settings.types = ["a": TypeSettings()]
                try writer.put(queue)
            }
        ),
        (
            TableHistory.keeping.server,
            { writer in
                try writer.transact(at: at(1)) {
                    _ = try $0.take(checkpoint: "a", by: "ann", sequence: 1)
                }
            }
        ),
    ]

    @Test(
        "P4 G1 G2 G3 G5 Q14 the first use of a part ends programs that would ignore it, only then",
        arguments: firstUses)
    func firstUse(
        _ version: Int, _ write: @escaping @Sendable (any StoreWriter) throws -> Void
    ) throws {
        let place = try ServerPlace()
        let store = try place.open()
        defer { store.close() }
        let oldest = "SELECT oldest FROM \(place.schema).schema"
        #expect(try place.value(of: oldest) == "\(ServerSchema.history.oldest)")
        #expect(ServerSchema.history.oldest < version && ServerSchema.version >= version)
        try store.writeBlocking(write)
        #expect(try place.value(of: oldest) == "\(version)")
    }

    @Test("G3 P7 the clock of a store at a server is the server's")
    func clock() throws {
        let place = try ServerPlace()
        let store = try place.open()
        defer { store.close() }
        let asked = "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint"
        let before = try Int64(place.value(of: asked))
        let now = try #require(store.clock?.now).milliseconds
        let after = try Int64(place.value(of: asked))
        // It may be wrong by as much as the answer took.
        #expect(now >= (before ?? .max) - 10_000 && now <= (after ?? 0) + 10_000)
    }

    @Test("P7 a server that is too old is refused by its version, one of tomorrow is tried")
    func versions() {
        let opening = ServerOpening(
            settings: PostgresSettings("postgres://h/d"), schema: "s", createIfMissing: false,
            durability: .full, faults: nil, clock: StoreClock())
        for version in [120_000, 150_004, 990_000] {
            #expect(opening.refusal(ofServer: version) == nil)
        }
        let refusal = opening.refusal(ofServer: 110_022)
        #expect(refusal?.code == .notAStore)
        #expect(refusal?.message == "postgres://h/d is answered by version 11 of PostgreSQL")
        #expect(refusal?.fix == "Sluice needs version 12 or newer")
    }

    @Test("P7 no password, a wrong one, an unknown role: refused, and no secret is said")
    func passwords() throws {
        let place = try ServerPlace()
        try place.run("CREATE ROLE locked LOGIN PASSWORD 'right'")
        defer { try? place.run("DROP ROLE locked") }
        let folder = place.server.folder
        func open(_ user: String) -> QueueError? {
            let host = folder.replacing("/", with: "%2F")
            return refusal { () throws(QueueError) in
                try PostgresStore.open(
                    address: "postgres://\(user)@\(host)/postgres", schema: place.schema,
                    createIfMissing: true)
            }
        }
        let none = open("locked")
        #expect(none?.code == .denied && none?.fix.contains(".pgpass") == true)
        let wrong = open("locked:s3cret")
        #expect(wrong?.code == .denied)
        #expect(wrong?.description.contains("s3cret") == false)
        #expect(wrong?.description.contains("locked@") == true)
        #expect(open("nobody_of_that_name")?.code == .denied)
        // The right one is let in, and may not make a schema.
        let denied = open("locked:right")
        #expect(denied?.code == .denied && denied?.message.contains("right") == false)
    }

    @Test("P7 a role may read where it may not write, and is told where it may neither")
    func rights() throws {
        let place = try ServerPlace()
        let store = try place.open()
        defer { store.close() }
        try store.makeQueue("q")
        let role = "reader_\(place.schema)"
        try place.run("CREATE ROLE \(role) LOGIN")
        defer {
            try? place.run("DROP OWNED BY \(role)")
            try? place.run("DROP ROLE \(role)")
        }
        let none = refusal { () throws(QueueError) in
            try place.open(readOnly: true, role: role)
        }
        #expect(none?.code == .denied && none?.fix.contains("GRANT") == true)
        try place.run("GRANT USAGE ON SCHEMA \(place.schema) TO \(role)")
        try place.run("GRANT SELECT ON ALL TABLES IN SCHEMA \(place.schema) TO \(role)")
        let reader = try place.open(readOnly: true, role: role)
        defer { reader.close() }
        #expect(try reader.queueNames() == ["q"])
        let writer = try place.open(role: role)
        defer { writer.close() }
        let refused = #expect(throws: QueueError.self) { try writer.makeQueue("r") }
        #expect(refused?.code == .denied)
        // The failure is over, and the next query succeeds on its own.
        try place.run("REVOKE SELECT ON ALL TABLES IN SCHEMA \(place.schema) FROM \(role)")
        for _ in 0..<3 {
            let again = #expect(throws: QueueError.self) { try reader.queueNames() }
            #expect(again?.code == .denied)
        }
        try place.run("GRANT SELECT ON ALL TABLES IN SCHEMA \(place.schema) TO \(role)")
        #expect(try reader.queueNames() == ["q"])
    }

    @Test("P7 a role writes also where the right to call pg_notify was taken away")
    func noNotifier() throws {
        let place = try ServerPlace()
        try place.open().close()
        let role = "mute_\(place.schema)"
        let notifier = "FUNCTION pg_catalog.pg_notify(text, text)"
        try place.run("CREATE ROLE \(role) LOGIN")
        try place.run("REVOKE EXECUTE ON \(notifier) FROM PUBLIC")
        defer {
            try? place.run("GRANT EXECUTE ON \(notifier) TO PUBLIC")
            try? place.run("DROP OWNED BY \(role)")
            try? place.run("DROP ROLE \(role)")
        }
        try place.run("GRANT USAGE ON SCHEMA \(place.schema) TO \(role)")
        try place.run("GRANT ALL ON ALL TABLES IN SCHEMA \(place.schema) TO \(role)")
        let writer = try place.open(role: role)
        defer { writer.close() }
        try writer.makeQueue("q")
        #expect(try writer.queueNames() == ["q"])
    }

    @Test("P7 a database that is missing, in another encoding, or at a server that is not there")
    func places() throws {
        let place = try ServerPlace()
        let server = place.server
        func open(_ address: String) -> QueueError? {
            refusal { () throws(QueueError) in
                try PostgresStore.open(address: address, createIfMissing: true)
            }
        }
        #expect(open(server.address("not_there"))?.code == .noStore)
        #expect(open("postgres:///x?host=/nowhere/at/all")?.code == .serverGone)
        #expect(open("postgres://u:hidden@[x/y")?.code == .badValue)
        #expect(open("postgres://u:hidden@[x/y")?.description.contains("hidden") == false)
        let double = open("postgres://u:p@hidden@x/y")
        #expect(double?.code == .badValue && double?.description.contains("hid") == false)
        let stray = open("postgres://u:hid/den@x/y")
        #expect(stray?.code == .badValue && stray?.description.contains("hid") == false)
        try place.run("CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
        #expect(open(server.address("latin"))?.code == .notAStore)
    }

    @Test(
        "P7 the name of a store holds nothing secret",
        arguments: [
            ("postgres://u:pw@h:5/d", "postgres://u@h:5/d"), ("postgres:///d", "postgres:///d"),
            ("postgresql://u:p@w@h/d", "postgresql://u@h/d"),
            ("postgres://h/d?user=u&password=pw", "postgres://h/d?user=u"),
            ("postgres://u:a?b@h/d", "postgres://…@h/d"),
            ("postgres://h/d?pass%77ord=pw&sslmode=require", "postgres://h/d?sslmode=require"),
        ])
    func names(_ address: String, _ shown: String) {
        #expect(PostgresStore.shownName(address) == shown)
    }
}
