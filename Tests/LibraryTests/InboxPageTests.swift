import Sluice
import SluiceCSQLite
import SluiceSystem
import Testing

/// The promises of docs/library.md.
@Suite("docs/library.md")
struct InboxPageTests {
    let sluice: QueueClient
    private let database: OpaquePointer

    init() throws {
        let folder = try Files.makeTemporaryDirectory(prefix: "sluice-inbox-")
        sluice = try QueueClient.open("\(folder)/app.db")
        var handle: OpaquePointer?
        #expect(sqlite3_open(sluice.store.name, &handle) == SQLITE_OK)
        database = try #require(handle)
        sqlite3_busy_timeout(database, 5000)
    }

    private var page: String {
        get throws {
            let root = #filePath.dropLast("/Tests/LibraryTests/InboxPageTests.swift".count)
            let bytes = try Files.read("\(root)/docs/library.md", limitBytes: 1 << 20)
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    private func part(_ text: String, from start: String, to end: String) -> Substring {
        let tail = text.split(separator: start, maxSplits: 1).last ?? ""
        return tail.split(separator: end, maxSplits: 1).first ?? ""
    }

    private func run(_ sql: String) throws {
        try #require(
            sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK,
            "\(String(cString: sqlite3_errmsg(database)))")
    }

    private func waiting() async throws -> [QueueTask] {
        try await sluice.store.write { _ in }
        return try await sluice.store.read { store in
            try store.queues().flatMap {
                try store.tasks(matching: TaskQuery(queue: $0.name, state: .waiting, limit: 9))
            }
        }
    }

    @Test("T4 YTQ-09 the page's triggers make a task of a message, and none of one that is gone")
    func triggers() async throws {
        let page = try page
        try run(String(part(page, from: "```sql\n", to: "```")))
        try run("INSERT INTO message (chat, text) VALUES ('ann', 'one'), ('ann', 'two')")
        let tasks = try await waiting()
        #expect(tasks.map(\.queue) == ["chat-ann", "chat-ann"])
        #expect(tasks.map(\.uniqueKey) == ["1", "2"])
        let payload = try await sluice.store.read { try $0.payload(of: 1) }
        #expect(payload == Array(#"{"message":1,"text":"one"}"#.utf8))
        try run("DELETE FROM message WHERE id = 1; INSERT INTO message VALUES (1, 'ann', 'again')")
        #expect(try await waiting().map(\.uniqueKey) == ["2", "1"])
    }

    @Test(
        "T4 the page names every column of both tables, and no other",
        arguments: [
            ("sluice_inbox", "created_at"), ("sluice_removed", "task"),
        ])
    func columns(table: String, one: String) throws {
        let section = part(try page, from: "## \(table)\n", to: "\n## ")
        let named = section.split(separator: "\n").filter { $0.hasPrefix("| `") }.flatMap { row in
            row.split(separator: "|")[0].split(separator: "`").map(String.init)
                .filter { $0.allSatisfy { $0.isLowercase || $0 == "_" } }
        }
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        sqlite3_prepare_v2(database, "SELECT * FROM \(table)", -1, &statement, nil)
        let columns = (0..<sqlite3_column_count(statement)).compactMap { index in
            sqlite3_column_name(statement, index).map { String(cString: $0) }
        }
        #expect(columns.contains(one))
        #expect(named.sorted() == columns.sorted())
    }

    @Test("T4 Q15 a row without a priority gets the rank of its type, one with 0 keeps it")
    func ranked() async throws {
        try await sluice.control.perform(.setQueue("q", [.order(.priority), .rank("bare,late")]))
        let outbox = ApplicationInbox(handle: database)
        try outbox.enqueue(EnqueueRequest(type: "bare"), to: "q")
        try outbox.enqueue(EnqueueRequest(type: "bare", priority: 0), to: "q")
        try run("INSERT INTO sluice_inbox (queue, type, payload) VALUES ('q', 'late', '')")
        #expect(try await waiting().map(\.priority) == [2000, 1000, 0])
    }

    @Test("T4 a handle of the application's enqueues and removes in its transaction")
    func handle() async throws {
        let outbox = ApplicationInbox(handle: database)
        try run("BEGIN")
        try outbox.enqueue(Greeting(name: "Ann"), to: "q") {
            ($0.priority, $0.groupMembers) = (3, ["g"])
            ($0.uniqueKey, $0.sortKey) = ("k", .text("s"))
            $0.headers = ["TraceParent": "00-1"]
        }
        try outbox.enqueue(EnqueueRequest(type: "bare", payload: [0, 1]), to: "q")
        let error = #expect(throws: QueueError.self) {
            try outbox.enqueue(EnqueueRequest(type: ""), to: "q")
        }
        #expect(error?.code == .badName)
        #expect(try await sluice.store.read { try $0.inbox() } == InboxSummary())
        try run("COMMIT")
        let tasks = try await waiting()
        #expect(tasks.map(\.type) == ["greeting", "bare"])
        #expect(tasks[0].priority == 3 && tasks[0].groupMembers == ["g"])
        #expect(tasks[0].sortKey == .text("s"))
        #expect(tasks.map(\.headers) == [["traceparent": "00-1"], [:]])
        #expect(try await sluice.store.read { try $0.payload(of: 2) } == [0, 1])
        try outbox.remove(tasks[1].id)
        try outbox.remove(queue: "q", type: "greeting", uniqueKey: "k")
        #expect(try await waiting() == [])
    }
}
