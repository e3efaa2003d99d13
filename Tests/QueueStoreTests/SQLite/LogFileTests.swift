import SluiceSystem
import Testing

@testable import SluiceSQL

@Suite("The log is written in fewer calls")
struct LogFileTests {
    /// A short text for a file's content.
    private static let content =
        "SELECT group_concat(id || ':' || length(x) || hex(substr(x, 1, 4))) FROM t ORDER BY id"

    /// A transaction that spills its pages, takes some of it back, and is mostly committed.
    private func transact(_ connection: Connection, _ random: inout Generator) throws {
        func run(_ statement: String) throws {
            _ = try connection.rows(once: statement) { $0.text(0) }
        }
        func change() throws {
            let bytes = random.pick([1, 40, 700, 3000, 9000])
            let id = random.pick(Array(1...200))
            try run(
                random.pick([
                    "INSERT INTO t (x) VALUES (randomblob(\(bytes)))",
                    "UPDATE t SET x = randomblob(\(bytes)) WHERE id % 17 = \(id % 17)",
                    "DELETE FROM t WHERE id = \(id)",
                ]))
        }
        let hasSavepoint = random.flag()
        try connection.beginWriting(withSavepoints: hasSavepoint)
        for _ in 0..<random.pick([1, 3, 12]) { try change() }
        if hasSavepoint {
            try connection.control(.savepoint)
            for _ in 0..<random.pick([1, 8]) { try change() }
            if random.flag() { try connection.control(.rollbackToSavepoint) }
            try change()
        }
        if random.pick([true, true, true, false]) {
            try connection.commit(keeping: true)
        } else {
            try connection.control(.rollback)
        }
    }

    /// Copies the files after each transaction, as a crash would leave them. They must contain
    /// exactly the committed data.
    @Test(
        "P1 P2 what a commit returned stands in the files, whole, and nothing else",
        arguments: ["OFF", "NORMAL", "FULL"], [1, 2])
    func committed(level: String, writers: Int) throws {
        let place = try Place()
        let (path, copy) = (place.path, "\(place.folder)/copy.db")
        _ = try Files.create(path, mode: 0o600)
        let connections = try (0..<writers).map { _ in
            let connection = try Connection(path: path, mode: .readWrite)
            for statement in [
                "PRAGMA journal_mode = WAL", "PRAGMA synchronous = \(level)",
                "PRAGMA cache_size = 5",
                "CREATE TABLE IF NOT EXISTS t (id INTEGER PRIMARY KEY, x BLOB)",
            ] {
                _ = try connection.rows(once: statement) { $0.text(0) }
            }
            connection.logPages = 60
            return connection
        }
        var random = Generator(seed: 11)
        for round in 1...50 {
            let connection = random.pick(connections)
            try transact(connection, &random)
            for end in ["", "-wal"] {
                let bytes = try Files.read("\(path)\(end)", limitBytes: 1 << 26)
                try Files.create("\(copy)\(end)", mode: 0o600).writeAll(bytes)
            }
            let said = try place.sql(Self.content, on: copy)
            #expect(try said == connection.rows(once: Self.content) { $0.text(0) }, "\(round)")
            #expect(try place.sql("PRAGMA integrity_check", on: copy) == ["ok"], "\(round)")
            for end in ["", "-wal", "-shm"] { try Files.removeTree("\(copy)\(end)") }
        }
    }

    @Test("P1 two who write by turns append to one log")
    func turns() throws {
        let place = try Place()
        _ = try Files.create(place.path, mode: 0o600)
        let writers = try (0..<2).map { _ in
            try Connection(path: place.path, mode: .readWrite)
        }
        _ = try writers[0].rows(once: "PRAGMA journal_mode = WAL") { $0.text(0) }
        _ = try writers[0].rows(once: "CREATE TABLE t (id INTEGER PRIMARY KEY, x BLOB)") { _ in }
        var random = Generator(seed: 5)
        for _ in 0..<60 { try transact(random.pick(writers), &random) }
        let said = try writers.map { try $0.rows(once: Self.content) { $0.text(0) } }
        #expect(said[0] == said[1] && said[0][0].count > 100)
        #expect(try place.sql("PRAGMA integrity_check") == ["ok"])
    }
}
