import SluiceSystem
import Testing

@testable import SluiceSQL

@Suite("The log of a file is brought into it")
struct LogUpkeepTests {
    /// With four concurrent writers, no checkpoint covers the commits made during it.
    @Test("P2 a log that four write without a break stays small")
    func several() throws {
        let place = try Place()
        _ = try Files.create(place.path, mode: 0o600)
        let first = try Connection(path: place.path, mode: .readWrite)
        _ = try first.rows(once: "PRAGMA journal_mode = WAL") { $0.text(0) }
        try first.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, x BLOB)")
        let failures = Protected<[String]>([])
        let path = place.path
        let writers = try (0..<4).map { _ in
            try Thread(name: "writer") {
                do {
                    let connection = try Connection(path: path, mode: .readWrite)
                    connection.logPages = 50
                    for _ in 0..<300 {
                        try connection.beginWriting(withSavepoints: false)
                        try connection.execute("INSERT INTO t (x) VALUES (randomblob(30000))")
                        try connection.commit(keeping: true)
                    }
                } catch { failures.withLock { $0.append("\(error)") } }
            }
        }
        for writer in writers { writer.join() }
        #expect(failures.withLock { $0 } == [])
        let size = try Files.status("\(place.path)-wal")?.sizeBytes ?? 0
        #expect(size > 0 && size < 1000 * 4096, "\(size / 4096) pages")
        let rows = try first.rows(once: "SELECT count(*) FROM t") { $0.integer(0) }
        #expect(rows == [1200])
        #expect(try place.sql("PRAGMA integrity_check") == ["ok"])
    }
}
