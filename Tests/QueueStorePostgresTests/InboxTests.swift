import SluiceModel
import SluicePlatform
import SluicePostgresClient
import SluicePostgresHarness
import SluiceProgramHarness
import SluiceStore
import Testing

@testable import SluicePostgresStore

/// An application's connection, which knows nothing of Sluice, for a role that may do nothing but
/// insert into the two tables; the role goes with this value.
final class App {
    let role: String
    private let schema: String
    private let server: PostgresServer
    private let link: PostgresConnection

    init(_ place: ServerPlace, through address: String? = nil) throws {
        (server, schema) = (place.server, place.schema)
        role = "app_\(place.server.newName())"
        try server.run(
            """
            CREATE ROLE \(role) LOGIN;
            GRANT USAGE ON SCHEMA \(schema) TO \(role);
            GRANT INSERT ON \(schema).inbox, \(schema).removed TO \(role)
            """)
        link = try PostgresConnection(
            PostgresSettings(address ?? server.address("postgres", role: role)),
            isPipelined: false)
        try run("SET search_path = \(schema)")
    }

    deinit {
        try? server.run("DROP OWNED BY \(role) CASCADE; DROP ROLE \(role)")
    }

    func run(_ sql: String) throws(PostgresError) { try link.run(sql) }

    /// The server's error for statements; `nil` if it accepts them.
    func refusal(_ sql: String) -> String? {
        do {
            try run(sql)
            return nil
        } catch {
            return error.message
        }
    }

    /// Puts tasks into the inbox, one statement each: the rest of the columns by `values`.
    func enqueue(_ types: [String], columns: String = "", values: String = "") throws {
        for type in types {
            try run(
                """
                INSERT INTO inbox (queue, type\(columns.isEmpty ? "" : ", " + columns))
                VALUES ('q', '\(type)'\(values.isEmpty ? "" : ", " + values))
                """)
        }
    }
}

extension PostgresStore {
    /// The waiting tasks of a queue in their order.
    func waiting(_ queue: String = "q") throws -> [QueueTask] {
        try readBlocking {
            try $0.tasks(matching: TaskQuery(queue: queue, state: .waiting, limit: 5000))
        }
    }

    func inbox() throws -> InboxSummary { try readBlocking { try $0.inbox() } }

    /// Performs a write, which takes in the inbox.
    func takeIn() throws { try writeBlocking { _ in } }
}

@Suite(
    "What an application puts into its store at a server",
    .enabled(if: PostgresServer.isInstalled))
struct InboxTests {
    @Test("T4 P7 the next write takes in what lies there, in its order, before its own work")
    func order() throws {
        let place = try ServerPlace()
        let store = try place.open()
        defer { store.close() }
        try App(place).enqueue(["a", "b", "c"])
        #expect(try store.inbox().tasks == ["q": 3])
        #expect(try store.queueNames() == [])
        try store.transactBlocking(at: at(100)) { mutation in
            _ = try mutation.enqueue([EnqueueRequest(type: "own")], to: "q")
        }
        let tasks = try store.waiting()
        #expect(tasks.map(\.type) == ["a", "b", "c", "own"])
        #expect(tasks.map(\.id) == [1, 2, 3, 4])
        #expect(try store.inbox() == InboxSummary())
        let lines = try store.readBlocking { try $0.journal(JournalQuery(limit: 9)) }
        guard case .event(let event) = lines.first else {
            Issue.record("the journal says nothing: \(lines)")
            return
        }
        #expect(event.kind == "inbox" && event.by == "application")
        #expect(event.text == "3 tasks came in with the application's own work")
    }

    @Test("T4 P7 a write that fails does not undo what was taken in before it")
    func failingWrite() throws {
        let place = try ServerPlace()
        let store = try place.open()
        defer { store.close() }
        try App(place).enqueue(["a"])
        #expect(throws: QueueError.self) {
            try store.writeBlocking { _ = try $0.requireTask(99) }
        }
        #expect(try store.waiting().map(\.type) == ["a"])
    }

    @Test("T4 P7 YTQ-17 what is rolled back was never there, and nobody is told of it")
    func rollback() throws {
        let place = try ServerPlace()
        let store = try place.open()
        defer { store.close() }
        try store.makeQueue("q")
        let app = try App(place)
        let told = Waiter()
        let watch = try store.observe(at: nil) { told.add() }
        defer { withExtendedLifetime(watch) {} }
        // The watch says once that it listens.
        #expect(told.passes(0))
        try app.run("BEGIN")
        try app.enqueue(["a"])
        try app.run("INSERT INTO removed (task) VALUES (1)")
        #expect(try store.readBlocking { try !$0.hasFreshInbox() })
        try app.run("ROLLBACK")
        try store.takeIn()
        #expect(try store.waiting() == [])
        #expect(try place.value(of: "SELECT count(*) FROM \(place.schema).inbox") == "0")
        let before = told.count
        try app.enqueue(["b"])
        #expect(told.passes(before))
        #expect(told.count == before + 1)
    }

    @Test("T4 P7 every column has its field, and what is left away has its default")
    func columns() throws {
        let place = try ServerPlace()
        let store = try place.open()
        defer { store.close() }
        let app = try App(place)
        try app.run(
            #"""
            INSERT INTO inbox (queue, type, payload, priority, sort_text, group_start,
                group_members, not_before, attempt_limit, expires_at, requires, required,
                unique_key, unique_policy, label, session, client_string, created_at, headers)
            VALUES ('q', 't', json_build_object('a', 1), -7, 'k', 's', '["g","h"]', 4800000200000,
                3, 4800000300000, '["network"]', 1, 'u', 'replace', 'l', 'se', 'cs', 1800000000000,
                json_build_object('TraceParent', '00-1', 'x', U&'\E0001'));
            INSERT INTO inbox (queue, type, payload_bytes, sort_key)
            VALUES ('q', 't', '\x00ff', 5);
            INSERT INTO inbox (id, error, queue, type, payload)
            VALUES (7, 'no', 'q', U&'t\E000\E0000', 42)
            """#)
        try store.takeIn()
        let tasks = try store.waiting()
        var wanted = QueueTask(
            id: 1, queue: "q", type: "t", position: positionGap, createdAt: at(0))
        wanted.updatedAt = tasks[0].updatedAt
        wanted.priority = -7
        wanted.sortKey = .text("k")
        wanted.groupStart = "s"
        wanted.groupMembers = ["g", "h"]
        let later = Timestamp(milliseconds: 4_800_000_200_000)
        wanted.state = .waiting(
            Waiting(timer: WaitTimer(until: later, cause: .notBefore, since: wanted.updatedAt)))
        wanted.freshAt = later
        wanted.attemptLimit = 3
        wanted.expiresAt = Timestamp(milliseconds: 4_800_000_300_000)
        wanted.requires = [.network]
        wanted.isRequired = true
        wanted.uniqueKey = "u"
        (wanted.label, wanted.session, wanted.clientString) = ("l", "se", "cs")
        wanted.headers = ["traceparent": "00-1", "x": "\u{E000}1"]
        #expect(tasks[0] == wanted)
        #expect(tasks[1].sortKey == .integer(5))
        #expect(abs(tasks[1].createdAt - tasks[1].updatedAt) < 60_000)
        // Sluice's encoding of character zero has no special meaning in other texts.
        #expect(tasks[2].type == "t\u{E000}\u{E000}0")
        let payloads = try store.readBlocking { store in try [1, 2, 3].map(store.payload) }
        #expect(payloads == [Array(#"{"a" : 1}"#.utf8), [0, 255], Array("42".utf8)])
        #expect(try store.inbox() == InboxSummary())
    }

    static let atOnce: [(column: String, value: String)] = [
        ("group_members", "'g'"), ("group_members", "'[7]'"), ("group_members", "'{\"a\":1}'"),
        ("group_members", "ARRAY['g']"), ("requires", "'network'"), ("unique_policy", "'maybe'"),
        ("unique_key", "''"), ("unique_key", "repeat('x', 201)"), ("group_start", "chr(1)"),
        ("session", "chr(8232)"), ("attempt_limit", "0"), ("attempt_limit", "9000000000"),
        ("not_before", "9223372036854775807"), ("expires_at", "-1"), ("sort_key", "'k'"),
        ("sort_key, sort_text", "1, 'k'"), ("payload, payload_bytes", "'a', 'b'"),
        ("label", "repeat('x', 1048577)"), ("payload", "repeat('x', 268435457)"),
        ("priority", "'high'"), ("headers", "'[1]'"), ("headers", "'{\"a\":1}'"),
        ("headers", "'a'"), ("headers", "repeat('x', 1048577)"),
    ]

    @Test("T4 P7 what a constraint can tell is refused at once", arguments: atOnce.indices)
    func refusedAtOnce(_ index: Int) throws {
        let place = try ServerPlace()
        let store = try place.open()
        defer { store.close() }
        let app = try App(place)
        let bad = Self.atOnce[index]
        #expect(throws: PostgresError.self, "\(bad)") {
            try app.enqueue(["bad"], columns: bad.column, values: bad.value)
        }
        for removal in ["queue) VALUES ('q'", "queue, type) VALUES ('q', 't'"] {
            #expect(app.refusal("INSERT INTO removed (\(removal))") != nil)
        }
        #expect(try store.inbox() == InboxSummary())
    }

    static let later: [(column: String, value: String, says: String)] = [
        ("group_members", "'[\"\"]'", "the name of a group is empty"),
        ("requires", "'[\"wings\"]'", "requires is wings; allowed: network, unmetered"),
        ("headers", "'{\"a b\":\"v\"}'", "\"a b\" is no name of a header"),
        ("payload", "repeat('x', 1048577)", "the payload has 1048577 bytes"),
        // The server's indexes take no key of this length.
        (
            "sort_text", "(SELECT string_agg(md5(n::text), '') FROM generate_series(1, 500) n)",
            "can hold"
        ),
    ]

    @Test("T4 P7 a bad row stays, marked with why, and holds up no other", arguments: later.indices)
    func badRow(_ index: Int) throws {
        let place = try ServerPlace()
        let store = try place.open()
        defer { store.close() }
        try store.writeBlocking { writer in
            var queue = QueueRecord(name: "q", createdAt: at(0))
            queue.settings.order = .key
            try writer.put(queue)
        }
        let (app, bad) = (try App(place), Self.later[index])
        try app.enqueue(["a"], columns: "sort_text", values: "'a'")
        try app.run("BEGIN")
        try app.enqueue(["bad"], columns: bad.column, values: bad.value)
        try app.enqueue(["b", "c", "d"], columns: "sort_text", values: "'b'")
        try app.run("COMMIT")
        try store.takeIn()
        #expect(try store.waiting().map(\.type) == ["a", "b", "c", "d"])
        let refused = try store.inbox().refused
        #expect(refused.count == 1 && refused[0].row == 2 && refused[0].queue == "q")
        #expect(refused[0].table == "\(place.schema).inbox")
        #expect(refused[0].error.contains(bad.says), "\(refused)")
        #expect(try store.readBlocking { try !$0.hasFreshInbox() })
        // After the repair the store takes the row in and notifies its watches.
        let told = Waiter()
        let watch = try store.observe(at: nil) { told.add() }
        defer { withExtendedLifetime(watch) {} }
        #expect(told.passes(0))
        let before = told.count
        try place.run("UPDATE \(place.schema).inbox SET \(bad.column) = NULL, error = NULL")
        #expect(told.passes(before))
        try store.takeIn()
        #expect(try store.waiting().count == 5)
    }

    @Test("T4 P7 removals and tasks have one order of arrival")
    func removals() throws {
        let place = try ServerPlace()
        let store = try place.open()
        defer { store.close() }
        let app = try App(place)
        let task = "INSERT INTO inbox (queue, type, unique_key) VALUES ('q', 't', 'k');"
        let removal = "INSERT INTO removed (queue, type, unique_key) VALUES ('q', 't', 'k');"
        try app.run(task + removal + task + removal + task)
        try app.enqueue(["other"])
        try store.takeIn()
        #expect(try store.waiting().map(\.id) == [3, 4])
        let trash = try store.readBlocking { try $0.tasks([1, 2]) }
        #expect(trash.map(\.state.name) == [.deleted, .deleted])
        try app.run("INSERT INTO removed (task) VALUES (4), (77)")
        try store.takeIn()
        #expect(try store.waiting().map(\.id) == [3])
    }

    @Test("T4 P7 a removal also takes away what was refused with its key")
    func removesRefused() throws {
        let place = try ServerPlace()
        let store = try place.open()
        defer { store.close() }
        let app = try App(place)
        for key in ["k", "other"] {
            try app.enqueue(
                ["t"], columns: "unique_key, requires", values: "'\(key)', '[\"wings\"]'")
        }
        try store.takeIn()
        #expect(try store.inbox().refused.map(\.row) == [1, 2])
        try app.run("INSERT INTO removed (queue, type, unique_key) VALUES ('q', 't', 'k')")
        try store.takeIn()
        #expect(try store.inbox().refused.map(\.row) == [2])
    }

    @Test("T4 P7 docs/library.md: its statements run, and it names the columns that differ")
    func page() throws {
        let root = #filePath.dropLast("/Tests/QueueStorePostgresTests/InboxTests.swift".count)
        let bytes = try Files.read("\(root)/docs/library.md", limitBytes: 1 << 20)
        let section = String(decoding: bytes, as: UTF8.self)
            .split(separator: "## At a PostgreSQL server\n")[1].split(separator: "\n## ")[0]
        let statements = section.split(separator: "```").filter { $0.hasPrefix("sql\n") }
            .map { String($0.dropFirst(4)) }
        let place = try ServerPlace()
        let (store, app) = (try place.open(), try App(place))
        defer { store.close() }
        try place.run("CREATE TABLE \(place.schema).message (chat TEXT, text TEXT)")
        try place.run("GRANT INSERT ON \(place.schema).message TO \(app.role)")
        func here(_ text: String) -> String {
            text.replacing("sluice.", by: "\(place.schema).")
                .replacing("SCHEMA sluice", by: "SCHEMA \(place.schema)")
                .replacing("TO app;", by: "TO \(app.role);")
        }
        try place.run(here(statements[0]))
        try app.run(here(statements[1]))
        try store.takeIn()
        #expect(try store.waiting("chat-ann").map(\.type) == ["send"])
        let named = section.split(separator: "\n").filter { $0.hasPrefix("| `") }
            .map { String($0.split(separator: "`")[1]) }
        let columns = try place.value(
            of: """
                SELECT string_agg(column_name, ' ') FROM information_schema.columns
                WHERE table_schema = '\(place.schema)' AND table_name = 'inbox'
                """
        ).split(separator: " ").map(String.init)
        #expect(named.count == 5 && Set(named).isSubset(of: columns), "\(named)")
    }
}
