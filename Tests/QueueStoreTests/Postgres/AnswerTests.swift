import SluiceModel
import SluiceStore
import SluiceSystem
import SluiceTestSupport
import Testing

@testable import SluiceSQL

@Suite("What is not asked twice", .enabled(if: PostgresServer.isInstalled))
struct AnswerTests {
    @Test("P7 what hardly ever changes is kept, until anybody changes it")
    func configuration() throws {
        let place = try ServerPlace()
        let (own, other) = (try place.open(), try place.open())
        defer { own.close(); other.close() }
        try own.makeQueue("a")
        #expect(try other.queueNames() == ["a"])
        #expect(try own.queueNames() == ["a"])
        // Changed without the engine's knowledge, so the cached value remains.
        try place.run("UPDATE \(place.schema).queue SET name = 'x'")
        let kept = try other.readBlocking { store in
            // The first query is sent together with BEGIN, even if the cache has its answer.
            _ = try store.tasksRun(by: 1)
            return try store.queues().map(\.name)
        }
        #expect(kept == ["a"])
        try own.makeQueue("b")
        #expect(try other.queueNames() == ["b", "x"])
        #expect(try own.queueNames() == ["b", "x"])
        // A transaction sees its own changes. After a rollback they are invisible to all.
        struct Undone: Error {}
        #expect(throws: Undone.self) {
            try own.writeBlocking { store in
                try store.put(QueueRecord(name: "c", createdAt: at(0)))
                #expect(try store.queues().map(\.name) == ["b", "c", "x"])
                throw Undone()
            }
        }
        #expect(try own.queueNames() == ["b", "x"])
        let permits = try other.readBlocking { try $0.permits() }
        #expect(permits.isEmpty)
        try own.writeBlocking {
            try $0.put(
                Permit(id: 1, task: 1, version: 1, queue: "b", issuer: 1, runner: 1))
        }
        #expect(try other.readBlocking { try $0.permits().count } == 1)
    }

    @Test("P7 an answer holds until its own transaction changes what it is about")
    func transaction() throws {
        let place = try ServerPlace()
        let store = try place.open()
        defer { store.close() }
        let connection = try place.connect()
        let waiting = Query("SELECT n, 'x' FROM sluice_tally WHERE queue = ?")
        let add = Query(
            .insert(into: "sluice_tally", ["queue", "lane"], numbers: ["state": 0, "n": 1]))
        func counted() throws -> Int {
            let row = try connection.prepare(waiting)
            defer { row.reset() }
            row.bind(1)
            var count = 0
            while try row.next() { count += 1 }
            return count
        }
        func change(_ waitFlags: Int) throws {
            let row = try connection.prepare(add)
            row.bind(1)
            row.bind(waitFlags)
            try row.run()
        }
        try connection.beginWriting()
        #expect(try counted() == 0)
        try change(1)
        #expect(try counted() == 1)
        #expect(try counted() == 1)
        try change(2)
        try change(3)
        #expect(try counted() == 3)
        try connection.control(.savepoint)
        try change(4)
        #expect(try counted() == 4)
        try connection.control(.rollbackToSavepoint)
        #expect(try counted() == 3)
        try connection.control(.rollback)
        try connection.beginReading()
        #expect(try counted() == 0)
        try connection.control(.rollback)
    }

    @Test("P7 a transaction that reads nothing asks the server nothing")
    func nothing() throws {
        let place = try ServerPlace()
        let store = try place.open()
        defer { store.close() }
        let connection = try place.connect()
        try connection.beginReading()
        // The transaction has not begun, so ending it sends nothing.
        connection.disconnect()
        try connection.control(.rollback)
        #expect(!connection.isInTransaction)
    }

    @Test("P7 limits hold on a link, and durability wherever the store promises it")
    func settings() throws {
        let place = try ServerPlace()
        let store = try place.open()
        defer { store.close() }
        let connection = try place.connect()
        func shown(_ name: String) throws -> String {
            try connection.rows(once: "SELECT current_setting('\(name)')").text(0, 0)
        }
        #expect(try shown("lock_timeout") == "\(ServerLimits.lockSeconds)s")
        try connection.execute("SET synchronous_commit = off")
        try connection.beginWriting()
        #expect(try shown("synchronous_commit") == "on")
        try connection.control(.rollback)
        // A transaction that is undone takes it along for itself alone.
        #expect(try shown("synchronous_commit") == "on")
        connection.set(.normal)
        try connection.beginWriting()
        #expect(try shown("synchronous_commit") == "on")
        try connection.control(.rollback)
    }
}
