import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

@testable import SluiceForeignQueues

@Suite(
    "databases of MariaDB: addresses, rights, engines, names and times",
    .enabled(if: MariaDBServer.isInstalled), .serialized)
struct MariaDBTests {
    private static let keepers = KeeperLauncher { _, _ in }

    private static func bench(_ name: String) throws -> RowBench {
        try RowBench(PlayedRows(name: name, engine: .mariadb))
    }

    private static func open(_ address: String) throws -> RowSystem {
        let store = try ForeignStore.open(address, as: nil, keepers: keepers)
        let system = try #require(store.systems.first as? RowSystem)
        // No answer takes long by this clock, so a busy machine keeps none.
        system.clock = { 0 }
        return system
    }

    /// The name of the database of a bench.
    private static func database(_ bench: RowBench) throws -> String {
        try MariaDBAddress(bench.address).database
    }

    @Test("an address is shown without its password, and a wrong one says what is wrong")
    func addresses() throws {
        let full = try MariaDBAddress("mysql://k%40m:p%2Fw@[::1]:99/app?ssl-mode=REQUIRED")
        #expect(full.user == "k@m" && full.password == "p/w" && full.host == "::1")
        #expect(full.port == 99 && full.database == "app" && full.needsTLS && !full.checksName)
        #expect(full.name == "mysql://k%40m@::1:99/app" && !full.name.contains("p/w"))
        let local = try MariaDBAddress("mariadb:///app?socket=%2Frun%2Fmy")
        #expect(local.host == nil && local.socket == "/run/my" && local.port == nil)
        #expect(try MariaDBAddress("mysql://h/d?ssl-ca=/ca.pem").checksName)
        for wrong in [
            "mysql://kim:a/b@h/d", "mysql://h", "mysql://h/", "mysql://h:x/d", "mysql://h:0/d",
            "mysql://h/d?password=hunter2", "mysql://h/%", "mysql://h/d?ssl-mode=maybe",
            "mysql://h h/d", "mysql://kim:a?b@h/d",
        ] {
            let error = #expect(throws: QueueError.self) {
                try ForeignStore.open(wrong, as: nil, keepers: Self.keepers)
            }
            #expect(error?.code == .badValue && error?.description.contains("hunter2") == false)
        }
    }

    @Test("a server, a database, a user or a system that is not there is said by its own code")
    func missing() throws {
        let server = try MariaDBServer.shared()
        let empty = try server.makeDatabase()
        let expected: [(String, QueueError.Code)] = [
            ("mysql://app:secret@127.0.0.1:1/db", .serverGone),
            (server.address("none"), .notAStore),
            (server.address(empty, user: "app:wrong"), .denied),
            (server.address(empty), .notAStore),
            (server.address(empty) + "?ssl-mode=REQUIRED", .denied),
        ]
        for (address, code) in expected {
            let error = #expect(throws: QueueError.self) {
                try ForeignStore.open(address, as: nil, keepers: Self.keepers)
            }
            #expect(error?.code == code, "\(address) \(String(describing: error))")
            #expect(error?.description.contains("secret") == false)
        }
    }

    @Test("the local socket leads to the same tables, and --as names one system of them")
    func socket() throws {
        let bench = try Self.bench("laravel")
        let address = try MariaDBServer.shared().socketAddress(Self.database(bench))
        let store = try ForeignStore.open(address, as: "laravel", keepers: Self.keepers)
        #expect(store.systems.map(\.name) == ["laravel"] && !store.name.contains("secret"))
        let queue = try #require(try store.queues().first { $0.name == RowBench.queue })
        #expect(queue.waiting == 1 && queue.delayed == 1)
        #expect(throws: QueueError.self) {
            try ForeignStore.open(address, as: "djangoq", keepers: Self.keepers)
        }
    }

    @Test("a user without the right to make triggers looks, and a hold is refused with the reason")
    func rights() throws {
        let bench = try Self.bench("laravel")
        let (server, name) = (try MariaDBServer.shared(), try Self.database(bench))
        try server.run("CREATE USER low_\(name) IDENTIFIED BY 'secret'")
        try server.run(
            "GRANT SELECT, INSERT, UPDATE, DELETE, CREATE, DROP ON \(name).* TO low_\(name)")
        let system = try Self.open(server.address(name, user: "low_\(name):secret"))
        let error = #expect(throws: QueueError.self) {
            try system.hold(RowBench.queue, RQBench.note)
        }
        #expect(error?.code == .notLegal && error?.message.contains("no trigger") == true)
        #expect(error?.fix.contains("GRANT TRIGGER") == true)
        #expect(try bench.queue()?.hold == nil && bench.queue()?.held == 0)
        #expect(try bench.session.triggers().isEmpty)
        let held = try bench.system.hold(RowBench.queue, RQBench.note)
        #expect(held.consequences.contains { $0.hasPrefix("its trigger runs as app@") }, "\(held)")
        func seen() throws -> ForeignHold? {
            try system.queues().first { $0.name == RowBench.queue }?.hold
        }
        #expect(try seen()?.note == RQBench.note && seen()?.leak == nil)
        try bench.system.dropTriggers(RowBench.queue)
        #expect(try seen()?.leak == "its trigger is missing: new tasks may run")
        try server.run("REVOKE CREATE ON \(name).* FROM low_\(name)")
        try server.run("DROP TABLE \(name).\(RowSystem.holdsTable)")
        // A connection notices revoked rights when it selects its database.
        let again = try Self.open(server.address(name, user: "low_\(name):secret"))
        let denied = #expect(throws: MariaDBError.self) {
            try again.hold(RowBench.queue, RQBench.note)
        }
        #expect(denied?.number == 1142)
    }

    @Test("a table without transactions is looked at, and nothing of it is changed")
    func engines() throws {
        let bench = try Self.bench("laravel")
        let task = try #require(try bench.waiting().first)
        try bench.session.define("ALTER TABLE jobs ENGINE=MyISAM")
        let before = try bench.session.rows("SELECT * FROM jobs")
        #expect(try bench.waiting().contains { $0.reference == task.reference })
        for change in [ForeignChange.skip, .delete] {
            let error = #expect(throws: QueueError.self) {
                try bench.system.change(task.reference, change, by: "dana")
            }
            #expect(error?.message.contains("MyISAM") == true)
            #expect(error?.fix.contains("ENGINE=InnoDB") == true)
        }
        #expect(throws: QueueError.self) { try bench.system.hold(RowBench.queue, RQBench.note) }
        #expect(try bench.session.rows("SELECT * FROM jobs") == before)
        #expect(try bench.queue()?.hold == nil && bench.session.triggers().isEmpty)
    }

    @Test("a time that ends in 2038 is no place for a hold, and the answer says what to do")
    func timestamps() throws {
        let bench = try Self.bench("delayedjob")
        try bench.session.define("ALTER TABLE delayed_jobs MODIFY run_at TIMESTAMP NULL")
        let before = try bench.session.rows("SELECT * FROM delayed_jobs")
        let error = #expect(throws: QueueError.self) {
            try bench.system.hold(RowBench.queue, RQBench.note)
        }
        let task = try #require(try bench.waiting().first)
        let late = ForeignChange.postpone(Timestamp(milliseconds: 3_000_000_000_000))
        let skipped = #expect(throws: QueueError.self) {
            try bench.system.change(task.reference, .skip, by: "dana")
        }
        let postponed = #expect(throws: QueueError.self) {
            try bench.system.change(task.reference, late, by: "dana")
        }
        for error in [error, skipped, postponed] {
            #expect(error?.message.contains("run_at of delayed_jobs is a TIMESTAMP") == true)
            #expect(error?.fix.contains("MODIFY run_at DATETIME(6)") == true)
        }
        #expect(try bench.session.rows("SELECT * FROM delayed_jobs") == before)
        #expect(try bench.queue()?.hold == nil && bench.waiting().count == 2)
    }

    @Test("a name that would not fit with a prefix is not held, so its app can send")
    func room() throws {
        for engine in PlayedRows.engines where engine != .sqlite {
            let bench = try RowBench(PlayedRows(name: "laravel", engine: engine))
            let change =
                engine == .mariadb
                ? "MODIFY queue VARCHAR(20) NOT NULL"
                : """
                ALTER queue TYPE varchar(20)
                """
            try bench.session.define("ALTER TABLE jobs \(change)")
            #expect(throws: QueueError.self, "\(engine)") {
                try bench.system.hold(RowBench.queue, RQBench.note)
            }
            try bench.insert(1)
            let queue = try #require(try bench.queue())
            #expect(queue.waiting == 2 && queue.delayed == 1 && queue.held == 0)
        }
    }

    @Test("names of all kinds are held alone, each by its own trigger, and given back as they were")
    func names() throws {
        let bench = try Self.bench("laravel")
        let names = [
            "a`b", "a'b", "a\"b", "a\\b", "a@b", "a%b", "a_b", "💌", "-- a", "a;b", "sluice:held",
            "a\u{1}b", "${a}", "ä",
        ]
        try bench.clear()
        for (number, name) in names.enumerated() {
            try bench.insert(number)
            try bench.set(number, "queue = \(try bench.session.dialect.literal(name))")
        }
        for (number, name) in names.enumerated() {
            _ = try bench.system.hold(name, RQBench.note)
            let held = try bench.system.queues().filter { $0.held > 0 }
            #expect(held.map(\.name) == [name])
            try bench.insert(100 + number)
            try bench.session.define("DELETE FROM jobs WHERE id = \(bench.id(100 + number))")
            try bench.session.define(
                "INSERT INTO jobs SELECT 9000, \(try bench.session.dialect.literal(name)), "
                    + "payload, 0, NULL, 0, 0 FROM jobs LIMIT 1")
            let page = try bench.system.page(ForeignQuery(queue: name, state: .waiting))
            #expect(page.tasks.map(\.display) == [.held, .held] && page.tasks[0].queue == name)
            try bench.session.define("DELETE FROM jobs WHERE id = 9000")
            _ = try bench.system.release(name)
            #expect(try bench.row(number)?["queue"]?.string == name)
        }
        #expect(try bench.session.triggers().isEmpty)
    }

    @Test("names that the database takes for one are held together, each as it is written")
    func spellings() throws {
        let bench = try Self.bench("laravel")
        try bench.clear()
        for (number, name) in ["mail", "Mail"].enumerated() {
            try bench.insert(number)
            try bench.set(number, "queue = '\(name)'")
        }
        _ = try bench.system.hold("mail", RQBench.note)
        let free = try bench.session.rows("SELECT id FROM jobs WHERE queue = 'mail'")
        #expect(free.isEmpty)
        #expect(try bench.row(1)?["queue"]?.string == "sluice:held:Mail")
        let limits = StepLimits(takeMilliseconds: 0)
        #expect(throws: QueueError.self) {
            try bench.system.step("mail", task: bench.reference(1), limits: limits)
        }
        _ = try bench.system.release("mail")
        #expect(try bench.row(0)?["queue"]?.string == "mail")
        #expect(try bench.row(1)?["queue"]?.string == "Mail")
    }

    @Test("times are the app's own, whatever zones the server and its clients have")
    func zones() throws {
        let bench = try Self.bench("delayedjob")
        try bench.clear()
        try bench.insert(1)
        try bench.set(1, "run_at = '2026-03-29 02:30:00'")
        let free = try bench.row(1)
        let due = try bench.waiting().map(\.display)
        _ = try bench.system.hold(RowBench.queue, RQBench.note)
        let app = try MariaDBConnection(try MariaDBAddress(bench.address))
        try app.run("SET time_zone = '+05:00'")
        try app.run(
            "INSERT INTO delayed_jobs SELECT \(bench.id(2)), priority, attempts, handler, "
                + "last_error, '2026-03-29 02:30:00', locked_at, failed_at, locked_by, queue, "
                + "created_at, updated_at FROM delayed_jobs WHERE id = \(bench.id(1))")
        #expect(try bench.row(2)?["run_at"]?.string == "6026-03-29 02:30:00")
        _ = try bench.system.release(RowBench.queue)
        #expect(try bench.row(1) == free && bench.waiting().map(\.display) == due + due)
        #expect(try bench.row(2)?["run_at"] == free?["run_at"])
    }
}

@Suite(
    "a server of MariaDB with a binary log, and one that goes away",
    .enabled(if: MariaDBServer.isInstalled), .serialized)
struct MariaDBServerTests {
    private let server: MariaDBServer
    private let name: String

    /// A server with a binary log, which lets no user of the tests make triggers.
    init() throws {
        server = try MariaDBServer(
            options: ["--log-bin", "--innodb-flush-log-at-trx-commit=1"])
        name = try server.makeDatabase()
        try RowBench.run(try Fixture.text("rows-laravel-mariadb.sql"), in: server.connect(name))
        try server.run("CREATE USER low IDENTIFIED BY 'secret'")
        try server.run("GRANT ALL ON \(name).* TO low")
    }

    private func open() throws -> (store: ForeignStore, system: RowSystem) {
        let store = try ForeignStore.open(
            server.address(name, user: "low:secret"), as: nil, keepers: KeeperLauncher { _, _ in })
        return (store, try #require(store.systems.first as? RowSystem))
    }

    @Test(
        "a binary log that trusts nobody is the reason of a refusal; a stamp rests without writers")
    func logs() throws {
        let system = try open().system
        let refused = #expect(throws: QueueError.self) { try system.hold("mail", RQBench.note) }
        #expect(refused?.message.contains("binary log") == true)
        #expect(refused?.fix.contains("log_bin_trust_function_creators") == true)
        #expect(try system.queues().allSatisfy { $0.hold == nil })
        try server.run("SET GLOBAL log_bin_trust_function_creators = 1")
        #expect(try system.hold("mail", RQBench.note).consequences.first == "2 put aside")

        let session = try #require(system.session as? MariaDBRowSession)
        session.settleMilliseconds = 0
        let rest = try session.stamp()
        _ = try system.queues()
        _ = try system.page(ForeignQuery(queue: "mail"))
        #expect(try rest != nil && session.stamp() == rest)
        try server.run("UPDATE jobs SET attempts = attempts + 1 LIMIT 1", in: name)
        #expect(try session.stamp() != rest)
        session.settleMilliseconds = 1_000_000
        try server.run("UPDATE jobs SET attempts = attempts + 1 LIMIT 1", in: name)
        #expect(try session.stamp()?.contains(" at ") == true)
    }

    @Test("a server that goes away is said, and after it came back the hold is what it was")
    func crash() throws {
        let (store, system) = try open()
        try server.run("SET GLOBAL log_bin_trust_function_creators = 1")
        _ = try system.hold("mail", RQBench.note)
        try server.stop(isCrash: true)
        let gone = #expect(throws: QueueError.self) { try store.ask { _ in try system.queues() } }
        #expect(gone?.code == .serverGone)
        #expect(throws: QueueError.self) { try open() }
        try server.start()
        try server.run("SET GLOBAL log_bin_trust_function_creators = 1")
        let again = try open().system
        let queue = try #require(try again.queues().first { $0.name == "mail" })
        #expect(queue.hold?.note == RQBench.note && queue.hold?.leak == nil)
        #expect(queue.held == 1 && queue.delayed == 1)
        #expect(try again.release("mail").consequences.first == "2 given back to mail")
    }
}
