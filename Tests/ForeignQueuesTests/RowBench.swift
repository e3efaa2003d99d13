import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

@testable import SluiceForeignQueues

/// A system of tables as its own library filled them in one of the databases, and statements of
/// its workers.
struct PlayedRows: Sendable, CustomTestStringConvertible {
    enum Engine: String, CaseIterable, Sendable { case sqlite, postgres, mariadb }

    var name: String
    var engine: Engine
    var testDescription: String { "\(name) in \(engine)" }

    private static let names = ["laravel", "delayedjob", "symfony", "djangotasks", "djangoq"]
    static let engines = Engine.allCases.filter { engine in
        switch engine {
        case .sqlite: true
        case .postgres: PostgresServer.isInstalled
        case .mariadb: MariaDBServer.isInstalled
        }
    }
    static let all = names.flatMap { name in engines.map { PlayedRows(name: name, engine: $0) } }
    static let timed = all.filter { $0.name != "djangoq" }

    /// Rows that a worker takes, copied from the system.
    func claimable(_ now: String) -> String {
        switch name {
        case "laravel": "reserved_at IS NULL AND available_at <= \(now)"
        case "delayedjob": "run_at <= \(now) AND locked_at IS NULL AND failed_at IS NULL"
        case "symfony": "delivered_at IS NULL AND available_at <= \(now)"
        case "djangotasks":
            "status = 'READY' AND (run_after = '9999-01-01 00:00:00' OR run_after <= \(now))"
        default: "\(lock) < \(now)"
        }
    }

    /// A word of the language in MariaDB.
    private var lock: String { engine == .mariadb ? "`lock`" : "lock" }

    /// A worker's statement to claim a row.
    func claim(_ now: String) -> String {
        switch name {
        case "laravel": "reserved_at = \(now), attempts = attempts + 1"
        case "delayedjob": "locked_at = \(now), locked_by = 'host:a pid:1'"
        case "symfony": "delivered_at = \(now)"
        case "djangotasks": "status = 'RUNNING', started_at = \(now)"
        default: "\(lock) = '2037-01-01 00:00:00'"
        }
    }

    /// A worker's statements at the end of a row.
    func finish(_ table: String, _ id: String) -> [String] {
        name == "djangotasks"
            ? ["UPDATE \(table) SET status = 'SUCCESSFUL' WHERE id = \(id)"]
            : ["DELETE FROM \(table) WHERE id = \(id)"]
    }

    /// A worker's statements for a failure with a retry; empty if the system has no retry.
    func fail(_ table: String, _ id: String, _ now: String) -> [String] {
        let delete = "DELETE FROM \(table) WHERE id = \(id)"
        switch name {
        case "laravel":
            return [
                """
                INSERT INTO jobs (queue, payload, attempts, available_at, created_at)
                SELECT 'mail@ho''me$1', payload, attempts, \(now), \(now) FROM jobs WHERE id = \(id)
                """, delete,
            ]
        case "delayedjob":
            return [
                """
                UPDATE delayed_jobs SET attempts = attempts + 1, last_error = 'boom',
                run_at = \(now), locked_at = NULL, locked_by = NULL WHERE id = \(id)
                """
            ]
        default: return []
        }
    }

    /// How a row comes to show what no verb makes it show.
    var settings: [(ForeignTask.Display, String)] {
        switch name {
        case "laravel":
            [(.running, "reserved_at = 1"), (.delayed, "available_at = 2114380800")]
        case "delayedjob":
            [
                (.running, "locked_at = '2026-01-01 00:00:00'"),
                (.failed, "failed_at = '2026-01-01 00:00:00'"),
                (.delayed, "run_at = '2037-01-01 00:00:00'"),
                (.retrying, "run_at = '2037-01-01 00:00:00', attempts = 1"),
            ]
        case "symfony":
            [
                (.running, "delivered_at = '2026-01-01 00:00:00'"),
                (.succeeded, "delivered_at = '9999-12-31 23:59:59'"),
                (.delayed, "available_at = '2037-01-01 00:00:00'"),
            ]
        case "djangotasks":
            [
                (.running, "status = 'RUNNING'"), (.failed, "status = 'FAILED'"),
                (.succeeded, "status = 'SUCCESSFUL'"),
                (.delayed, "run_after = '2037-01-01 00:00:00'"),
            ]
        default: [(.taken, "\(lock) = '2037-01-01 00:00:00'")]
        }
    }
}

/// One system in a separate database.
final class RowBench {
    /// A name that statements must not take for something else.
    static let queue = "mail@ho'me$1"
    let played: PlayedRows
    let address: String
    let session: any RowSession
    let system: RowSystem
    private let folder: String?
    private let template: JSONValue

    init(_ played: PlayedRows) throws {
        self.played = played
        (address, folder) = try Self.database(
            played.engine, try Fixture.text("rows-\(played.name)-\(played.engine).sql"))
        if played.engine == .postgres, played.name == "laravel" {
            // The bench's own rows get numbers after the test's.
            try SQLSession(address).run("SELECT setval('jobs_id_seq', 5000)")
        }
        let store = try ForeignStore.open(
            address, as: nil, keepers: KeeperLauncher { _, _ in })
        system = try #require(store.systems.first as? RowSystem)
        session = try Self.session(address)
        for (table, column) in [(system.table.table, system.table.queue)]
            + system.table.others.map({ ($0.table, $0.queue) })
        {
            let name = try session.dialect.literal(Self.queue)
            let column = session.dialect.name(column)
            let isMail = "\(column) = 'mail' OR \(column) IS NULL"
            try session.define("UPDATE \(table) SET \(column) = \(name) WHERE \(isMail)")
        }
        template = try #require(
            try session.first(
                "SELECT * FROM \(system.table.table) WHERE id = \(try Self.due(system))"))
    }

    /// A new database with the contents of a fixture, and the folder of a file.
    static func database(
        _ engine: PlayedRows.Engine, _ text: String
    ) throws -> (address: String, folder: String?) {
        switch engine {
        case .sqlite:
            let folder = try Files.makeTemporaryDirectory(prefix: "rows")
            let address = "\(folder)/app.db"
            try Files.writeAtomically([], to: address)
            let file = try SQLiteFile(path: address)
            for statement in statements(text) { try file.rows(statement) }
            return (address, folder)
        case .postgres:
            let server = try PostgresServer.shared()
            let name = "rows_\(server.newName())"
            try server.run("CREATE DATABASE \(name)")
            try SQLSession(server.address(name)).run(text)
            return (server.address(name), nil)
        case .mariadb:
            let server = try MariaDBServer.shared()
            let name = try server.makeDatabase()
            let connection = try server.connect(name)
            // A dump may name a table before it makes it.
            try connection.run("SET FOREIGN_KEY_CHECKS = 0")
            try run(text, in: connection)
            return (server.address(name), nil)
        }
    }

    /// The statements of a fixture one by one.
    static func statements(_ text: String) -> [String] {
        var rest = text.split(separator: "\n", maxSplits: 1)[1]
        var found: [String] = []
        while let end = rest.firstRange(of: ";\n") {
            found.append(String(rest[..<end.lowerBound]))
            rest = rest[end.upperBound...]
        }
        return found
    }

    /// Fills a database with a fixture.
    static func run(_ text: String, in connection: MariaDBConnection) throws {
        for statement in statements(text) { try connection.run(statement) }
    }

    deinit { if let folder { try? Files.removeTree(folder) } }

    private static func due(_ system: RowSystem) throws -> String {
        let page = try system.page(ForeignQuery(queue: queue, state: .waiting))
        let task = try #require(page.tasks.first { $0.display == .due })
        return try #require(system.identifier(task.reference))
    }

    static func session(_ address: String) throws -> any RowSession {
        if MariaDBAddress.isAddress(address) {
            return try MariaDBRowSession(try MariaDBAddress(address))
        }
        if address.hasPrefix("postgres") { return PostgresRowSession(try SQLSession(address)) }
        return SQLiteRowSession(try SQLiteFile(path: address))
    }

    func reference(_ number: Int) -> String {
        guard !system.table.hasNumbers else { return String(1000 + number) }
        let digits = String(repeating: "0", count: 28) + String(1000 + number)
        guard played.engine != .sqlite else { return digits }
        return "00000000-0000-0000-0000-\(digits.suffix(12))"
    }

    func id(_ number: Int) -> String { system.identifier(reference(number)) ?? "NULL" }

    /// A copy of the row that is due.
    func insert(_ number: Int) throws {
        var pairs = template.object ?? JSONObject()
        pairs["id"] = nil
        // Laravel identifies another attempt of a job by its uuid.
        if let text = pairs["payload"]?.string,
            let uuid = try? JSONValue.parse(text)["uuid"]?.string
        {
            let parts = text.split(separator: uuid, omittingEmptySubsequences: false)
            pairs["payload"] = .string(parts.joined(separator: "\(1000 + number)"))
        }
        let dialect = session.dialect
        let names = pairs.pairs.map { dialect.name($0.key) }.joined(separator: ", ")
        let values = try pairs.pairs.map { try dialect.literal($0.value) }.joined(separator: ", ")
        try session.define(
            "INSERT INTO \(system.table.table) (id, \(names)) VALUES (\(id(number)), \(values))")
    }

    /// Keep only the rows of the test.
    func clear() throws { try session.define("DELETE FROM \(system.table.table)") }

    func set(_ number: Int, _ setting: String) throws {
        try session.define("UPDATE \(system.table.table) SET \(setting) WHERE id = \(id(number))")
    }

    func row(_ number: Int) throws -> JSONValue? {
        try session.first("SELECT * FROM \(system.table.table) WHERE id = \(id(number))")
    }

    func waiting() throws -> [ForeignTask] {
        try system.page(ForeignQuery(queue: Self.queue, state: .waiting)).tasks
    }

    func queue() throws -> ForeignQueue? {
        system.forget()
        return try system.queues().first { $0.name == Self.queue }
    }
}

/// A worker that claims like its system, and records its tasks.
final class RowWorker: Sendable {
    private let taken = Protected<[String]>([])
    private let failing = Protected(false)
    private let isEnding = Protected(false)
    private let looked = Protected(false)
    private let thread: Thread

    init(_ bench: RowBench) throws {
        let (taken, failing, isEnding, looked) = (taken, failing, isEnding, looked)
        let (address, played, table) = (bench.address, bench.played, bench.system.table)
        let name = try bench.session.dialect.literal(RowBench.queue)
        thread = try Thread(name: "rows") {
            guard let session = try? RowBench.session(address) else { return }
            let now = session.dialect.now(table.clock)
            let isMine =
                "\(session.dialect.name(table.queue)) = \(name) AND \(played.claimable(now))"
            while !isEnding.withLock({ $0 }) {
                let row = try? session.transaction {
                    let row = try session.first(
                        "SELECT id FROM \(table.table) WHERE \(isMine) ORDER BY id LIMIT 1"
                            + session.dialect.locking)
                    guard let row, let id = try? session.dialect.literal(row["id"] ?? .null) else {
                        return nil as (id: String, name: String)?
                    }
                    try session.changeOne(
                        "UPDATE \(table.table) SET \(played.claim(now)) WHERE id = \(id)")
                    return (id, RowSystem.text(row["id"]))
                }
                looked.withLock { $0 = true }
                if let (id, reference) = row ?? nil {
                    taken.withLock { $0.append(reference) }
                    let isFailure = failing.withLock { $0 }
                    failing.withLock { $0 = false }
                    let end =
                        isFailure
                        ? played.fail(table.table, id, now) : played.finish(table.table, id)
                    _ = try? session.transaction { for one in end { try session.define(one) } }
                }
                _ = try? Poll.wait(fds: [], timeoutMilliseconds: 5)
            }
        }
    }

    var all: [String] { taken.withLock { $0 } }
    var hasLooked: Bool { looked.withLock { $0 } }
    func failNext() { failing.withLock { $0 = true } }

    func end() {
        isEnding.withLock { $0 = true }
        thread.join()
    }
}
