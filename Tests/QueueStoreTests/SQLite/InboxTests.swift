import SluiceModel
import SluiceStore
import SluiceSystem
import Testing

@testable import SluiceSQL

/// An application's connection to a store's file, which knows nothing of Sluice.
final class App {
    private let connection: Connection

    init(_ place: Place) throws { connection = try Connection(path: place.path, mode: .readWrite) }

    func run(_ sql: String) throws { try connection.execute(sql) }

    /// Puts tasks into the inbox in one statement: the rest of the columns by `values`.
    func enqueue(_ types: [String], columns: String = "", values: String = "") throws {
        for type in types {
            try run(
                """
                INSERT INTO sluice_inbox (queue, type\(columns.isEmpty ? "" : ", " + columns))
                VALUES ('q', '\(type)'\(values.isEmpty ? "" : ", " + values))
                """)
        }
    }
}

extension Place {
    /// The waiting tasks of a queue in their order.
    func waiting(_ store: SQLiteStore, _ queue: String = "q") throws -> [QueueTask] {
        try store.readBlocking {
            try $0.tasks(matching: TaskQuery(queue: queue, state: .waiting, limit: 5000))
        }
    }
}

@Suite("What an application puts into its store by SQL")
struct InboxTests {
    @Test("T4 the next write takes in what lies there, in its order, before its own work")
    func order() throws {
        let place = try Place()
        let store = try place.open()
        let app = try App(place)
        try app.enqueue(["a", "b", "c"])
        #expect(try store.readBlocking { try $0.inbox().tasks } == ["q": 3])
        #expect(try store.readBlocking { try $0.queues() } == [])
        try store.transactBlocking(at: at(100)) { mutation in
            _ = try mutation.enqueue([EnqueueRequest(type: "own")], to: "q")
        }
        let tasks = try place.waiting(store)
        #expect(tasks.map(\.type) == ["a", "b", "c", "own"])
        #expect(tasks.map(\.id) == [1, 2, 3, 4])
        #expect(try store.readBlocking { try $0.inbox() } == InboxSummary())
        let lines = try store.readBlocking { try $0.journal(JournalQuery(limit: 9)) }
        guard case .event(let event) = lines.first else {
            Issue.record("the journal says nothing: \(lines)")
            return
        }
        #expect(event.kind == "inbox" && event.by == "application" && event.at == at(100))
        #expect(event.text == "3 tasks came in with the application's own work")
    }

    @Test("T4 a write that fails does not undo what was taken in before it")
    func failingWrite() throws {
        let place = try Place()
        let store = try place.open()
        try App(place).enqueue(["a"])
        #expect(throws: QueueError.self) {
            try store.writeBlocking { _ = try $0.requireTask(99) }
        }
        #expect(try place.waiting(store).map(\.type) == ["a"])
    }

    @Test("T4 YTQ-17 what is rolled back was never there")
    func rollback() throws {
        let place = try Place()
        let store = try place.openWithQueue()
        let app = try App(place)
        try app.run("BEGIN")
        try app.enqueue(["a"])
        try app.run("INSERT INTO sluice_removed (task) VALUES (1)")
        #expect(try store.readBlocking { try !$0.hasFreshInbox() })
        try app.run("ROLLBACK")
        try store.writeBlocking { _ in }
        #expect(try place.waiting(store) == [])
        #expect(try place.sql("SELECT count(*) FROM sluice_inbox") == ["0"])
    }

    @Test("T4 every column has its field, and what is left away has its default")
    func columns() throws {
        let place = try Place()
        let store = try place.open()
        let app = try App(place)
        try app.run(
            """
            INSERT INTO sluice_inbox (queue, type, payload, priority, sort_key, group_start,
                group_members, not_before, attempt_limit, expires_at, requires, required,
                unique_key, unique_policy, label, session, client_string, created_at, headers)
            VALUES ('q', 't', '{"a":1}', -7, 'k', 's', '["g","h"]', 1800000200000, 3,
                1800000300000, '["network"]', 1, 'u', 'replace', 'l', 'se', 'cs', 1800000000000,
                '{"TraceParent":"00-1","x":"ä"}');
            INSERT INTO sluice_inbox (queue, type, payload, sort_key) VALUES ('q', 't', x'00ff', 5);
            INSERT INTO sluice_inbox (queue, type, payload) VALUES ('q', 't', 42)
            """)
        try store.writeBlocking { _ in }
        let tasks = try place.waiting(store)
        var wanted = QueueTask(
            id: 1, queue: "q", type: "t", position: positionGap, createdAt: at(0))
        wanted.updatedAt = at(100)
        wanted.priority = -7
        wanted.sortKey = .text("k")
        wanted.groupStart = "s"
        wanted.groupMembers = ["g", "h"]
        let timer = WaitTimer(until: at(200), cause: .notBefore, since: at(100))
        wanted.state = .waiting(Waiting(timer: timer))
        wanted.freshAt = at(200)
        wanted.attemptLimit = 3
        wanted.expiresAt = at(300)
        wanted.requires = [.network]
        wanted.isRequired = true
        wanted.uniqueKey = "u"
        (wanted.label, wanted.session, wanted.clientString) = ("l", "se", "cs")
        wanted.headers = ["traceparent": "00-1", "x": "ä"]
        #expect(tasks[0] == wanted)
        #expect(tasks[1].sortKey == .integer(5) && tasks[1].createdAt != at(100))
        let payloads = try store.readBlocking { store in try [1, 2, 3].map(store.payload) }
        #expect(payloads == [Array(#"{"a":1}"#.utf8), [0, 255], Array("42".utf8)])
    }

    static let bad: [(column: String, value: String, says: String)] = [
        ("group_members", "'g'", "group_members is g"),
        ("group_members", "'[7]'", "group_members is [7]"),
        ("requires", "'[\"wings\"]'", "requires is wings; allowed: network, unmetered"),
        ("unique_policy", "'maybe'", "unique_policy is maybe"),
        ("headers", "'[1]'", "headers is [1]"), ("headers", "'{\"a\":1}'", "headers is {\"a\":1}"),
        ("headers", "'a'", "headers is a; allowed: a JSON object of texts"),
        ("headers", "'{\"a b\":\"v\"}'", "\"a b\" is no name of a header"),
        ("unique_key", "''", "the name of a unique key is empty"),
        ("group_start", "char(1)", "control character U+0001"),
        ("attempt_limit", "0", "attempt_limit is 0"),
        ("not_before", "9223372036854775807", "not_before is 9223372036854775807"),
        ("expires_at", "-1", "expires_at is -1"),
        ("sort_key", "1.5", "sort_key is 1.5"),
        ("payload", "zeroblob(1048577)", "the payload has 1048577 bytes"),
    ]

    @Test("T4 a bad row stays, marked with why, and holds up no other", arguments: bad.indices)
    func badRow(_ index: Int) throws {
        let place = try Place()
        let store = try place.open()
        let app = try App(place)
        try app.enqueue(["a"])
        try app.enqueue(["bad"], columns: Self.bad[index].column, values: Self.bad[index].value)
        try app.enqueue(["b"])
        try store.writeBlocking { _ in }
        #expect(try place.waiting(store).map(\.type) == ["a", "b"])
        let refused = try store.readBlocking { try $0.inbox().refused }
        #expect(refused.count == 1 && refused[0].row == 2 && refused[0].queue == "q")
        #expect(refused[0].error.contains(Self.bad[index].says), "\(refused)")
        #expect(try store.readBlocking { try !$0.hasFreshInbox() })
        // After the repair it is taken in.
        try app.run("UPDATE sluice_inbox SET \(Self.bad[index].column) = NULL, error = NULL")
        try store.writeBlocking { _ in }
        #expect(try place.waiting(store).map(\.type) == ["a", "b", "bad"])
    }

    @Test("T4 K6 refused rows are read up to a hundred, and more are said", arguments: [100, 101])
    func manyRefused(_ count: Int) throws {
        let place = try Place()
        let store = try place.open()
        try App(place).enqueue(Array(repeating: "", count: count))
        try store.writeBlocking { _ in }
        let inbox = try store.readBlocking { try $0.inbox() }
        #expect(inbox.refused.map(\.row) == (1...100).map { Int64($0) })
        #expect(inbox.hasMoreRefused == (count > 100))
    }

    @Test("T4 a full queue and a pause of enqueues do not refuse what was committed")
    func facts() throws {
        let place = try Place()
        let store = try place.open()
        try store.writeBlocking { writer in
            var queue = QueueRecord(name: "q", createdAt: at(0))
            queue.settings.maximumLength = 1
            queue.pauses = [
                Pause(cause: .person, by: "a", reason: nil, since: at(0), direction: .both)
            ]
            try writer.put(queue)
        }
        let app = try App(place)
        try app.enqueue(["a", "b"])
        try app.enqueue(["c", "c"], columns: "unique_key, unique_policy", values: "'k', 'reject'")
        try store.writeBlocking { _ in }
        #expect(try place.waiting(store).map(\.type) == ["a", "b", "c"])
    }

    @Test("T4 removals and tasks have one order of arrival")
    func removals() throws {
        let place = try Place()
        let store = try place.open()
        let app = try App(place)
        func task() throws {
            try app.enqueue(["t"], columns: "unique_key", values: "'k'")
        }
        func removal() throws {
            try app.run(
                """
                INSERT INTO sluice_removed (queue, type, unique_key) VALUES ('q', 't', 'k')
                """)
        }
        try task()
        try removal()
        try task()
        try removal()
        try task()
        try app.enqueue(["other"])
        try store.writeBlocking { _ in }
        #expect(try place.waiting(store).map(\.id) == [3, 4])
        let trash = try store.readBlocking { try $0.tasks([1, 2]) }
        #expect(trash.map(\.state.name) == [.deleted, .deleted])
        try app.run(
            "INSERT INTO sluice_removed (task) VALUES (4), (77); "
                + "INSERT INTO sluice_removed (queue) VALUES ('q')")
        try store.writeBlocking { _ in }
        #expect(try place.waiting(store).map(\.id) == [3])
        let refused = try store.readBlocking { try $0.inbox().refused }
        #expect(refused.map(\.table) == ["sluice_removed"])
        #expect(refused[0].error.hasPrefix("it names no task"))
    }

    @Test("T4 a removal also takes away what was refused with its key")
    func removesRefused() throws {
        let place = try Place()
        let store = try place.open()
        let app = try App(place)
        try app.enqueue(["t"], columns: "unique_key, attempt_limit", values: "'k', 0")
        try app.enqueue(["t"], columns: "unique_key, attempt_limit", values: "'other', 0")
        try store.writeBlocking { _ in }
        #expect(try store.readBlocking { try $0.inbox().refused.map(\.row) } == [1, 2])
        try app.run("INSERT INTO sluice_removed (queue, type, unique_key) VALUES ('q', 't', 'k')")
        try store.writeBlocking { _ in }
        #expect(try store.readBlocking { try $0.inbox().refused.map(\.row) } == [2])
    }

    @Test("T4 many rows are taken in by several commits, and no order is lost between them")
    func slices() throws {
        let place = try Place()
        let store = try place.open()
        let app = try App(place)
        try app.run("BEGIN")
        for number in 1...2500 {
            try app.enqueue(["t"], columns: "unique_key", values: "'k\(number % 7)'")
            try app.run(
                "INSERT INTO sluice_removed (queue, type, unique_key) "
                    + "VALUES ('q', 't', 'k\(number % 7)')")
            if number % 3 == 0 { try app.enqueue(["stays"]) }
        }
        try app.run("COMMIT")
        try store.writeBlocking { _ in }
        let left = try place.waiting(store)
        #expect(left.count == 833 && left.allSatisfy { $0.type == "stays" })
        #expect(left.map(\.id) == left.map(\.id).sorted())
        #expect(try store.readBlocking { try $0.inbox() } == InboxSummary())
    }

    @Test("P2 a disk that is full at any statement loses no row and takes none in twice")
    func everyStatement() throws {
        let place = try Place()
        let faults = WriteFaults()
        let store = try place.open(faults: faults)
        let app = try App(place)
        try store.writeBlocking { _ = try $0.reserveNumber() }
        try app.enqueue(["a", "b"])
        try app.run("INSERT INTO sluice_removed (task) VALUES (1)")
        try app.enqueue(["bad"], columns: "attempt_limit", values: "0")
        let before = try place.dump()
        var failing = 0
        while true {
            failing += 1
            faults.fail(from: failing)
            do {
                try store.writeBlocking { _ in }
                break
            } catch {
                #expect((error as? QueueError)?.code == .diskFull)
                #expect(try place.dump() == before)
            }
        }
        #expect(failing > 8)
        faults.fail(from: nil)
        #expect(try place.waiting(store).map(\.type) == ["b"])
        #expect(try store.readBlocking { try $0.inbox().refused.count } == 1)
    }

    @Test("T4 a store that leaves the inbox alone takes nothing in")
    func leftAlone() throws {
        let place = try Place()
        try place.open().close()
        try App(place).enqueue(["a"])
        let store = try SQLiteStore.open(path: place.path, clock: nil)
        try store.writeBlocking { _ in }
        #expect(try place.sql("SELECT type FROM sluice_inbox") == ["a"])
        store.close()
    }
}
