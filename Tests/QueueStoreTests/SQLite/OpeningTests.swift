import SluiceModel
import SluiceStore
import SluiceSystem
import Testing

@testable import SluiceSQL

@Suite("Opening a store")
struct OpeningTests {
    /// The changes to undo for versions after the one with counts of ends.
    private static let sinceEnds =
        "breakpoints filters protected clock checkpoints schedules recording faults"
        .split(separator: " ").map { "ALTER TABLE sluice_store DROP COLUMN \($0)" } + [
            "DROP TABLE sluice_image", "DROP TABLE sluice_step",
            "ALTER TABLE sluice_event DROP COLUMN script",
            "DROP TABLE sluice_tape", "ALTER TABLE sluice_attempt DROP COLUMN injection",
            "ALTER TABLE sluice_queue DROP COLUMN paid_up", "DROP INDEX sluice_task_used",
            "ALTER TABLE sluice_queue DROP COLUMN paid_keys",
            "ALTER TABLE sluice_inbox DROP COLUMN headers",
            "DROP TABLE sluice_waited",
        ]

    private func code(_ place: Place, readOnly: Bool = false, create: Bool = false)
        -> QueueError.Code?
    {
        do {
            try place.open(readOnly: readOnly, createIfMissing: create).close()
            return nil
        } catch {
            return (error as? QueueError)?.code
        }
    }

    @Test("P3 what is not there is named, and nothing is made", arguments: [false, true])
    func missing(readOnly: Bool) throws {
        let place = try Place()
        #expect(code(place, readOnly: readOnly) == .noStore)
        #expect(code(place, readOnly: true, create: true) == .noStore)
        #expect(try Files.list(place.folder).isEmpty)
        try Files.makeDirectory(place.path)
        #expect(code(place, create: true) == .notAStore)
    }

    @Test("P3 what is not a store is refused as it is", arguments: [false, true])
    func notAStore(readOnly: Bool) throws {
        let place = try Place()
        let text = Array("no database, but a text of some length\n".utf8)
        try Files.writeAtomically(text, to: place.path)
        #expect(code(place, readOnly: readOnly, create: true) == .notAStore)
        #expect(try place.bytes() == text)
        let other = try Place()
        try Files.writeAtomically([], to: other.path)
        try other.sql("CREATE TABLE app (x)")
        let before = try other.bytes()
        #expect(code(other, readOnly: readOnly) == .notAStore)
        #expect(try other.bytes() == before)
        #expect(try Files.list(other.folder) == ["store.db"])
    }

    @Test("T4 an application's file gets the tables and keeps its own marks")
    func application() throws {
        let place = try Place()
        try Files.writeAtomically([], to: place.path)
        let app = try Connection(path: place.path, mode: .readWrite)
        try app.execute(
            """
            PRAGMA user_version = 12; PRAGMA application_id = 34;
            CREATE TABLE app (x); INSERT INTO app VALUES ('kept')
            """)
        #expect(code(place, create: true) == nil)
        #expect(code(place) == nil)
        #expect(try place.sql("PRAGMA user_version") == ["12"])
        #expect(try place.sql("PRAGMA application_id") == ["34"])
        #expect(try place.sql("SELECT x FROM app") == ["kept"])
        let names = try place.sql(
            "SELECT name FROM sqlite_schema WHERE name NOT LIKE 'sqlite%' AND name <> 'app'")
        #expect(names.count > 20 && names.allSatisfy { $0.hasPrefix("sluice_") })
    }

    @Test("P4 a newer store is refused as it is", arguments: [false, true])
    func newer(readOnly: Bool) throws {
        let place = try Place()
        try place.open().close()
        try place.sql("UPDATE sluice_schema SET version = version + 1, oldest = version + 1")
        let before = try place.dump()
        #expect(code(place, readOnly: readOnly, create: true) == .newerSchema)
        #expect(try place.dump() == before)
    }

    @Test("P4 newer tables that this version can work with are worked with; others are refused")
    func neighbours() throws {
        let place = try Place()
        let store = try place.openWithQueue()
        defer { store.close() }
        try place.sql("ALTER TABLE sluice_task ADD COLUMN later INTEGER NOT NULL DEFAULT 0")
        try place.sql("UPDATE sluice_schema SET version = version + 1")
        func put(_ name: String, in store: SQLiteStore) throws {
            try store.writeBlocking { try $0.put(QueueRecord(name: name, createdAt: at(0))) }
        }
        try put("a", in: store)
        let late = try place.open()
        try put("b", in: late)
        late.close()
        try place.open(readOnly: true, createIfMissing: false).close()
        #expect(try place.sql("SELECT version FROM sluice_schema") == ["\(Schema.version + 1)"])
        // A program that is open learns of it before its next commit.
        try place.sql("UPDATE sluice_schema SET oldest = version")
        let refused = #expect(throws: QueueError.self) { try put("c", in: store) }
        #expect(refused?.code == .newerSchema)
        #expect(code(place, readOnly: false, create: false) == .newerSchema)
        #expect(try store.readBlocking { try $0.queues().map(\.name) } == ["a", "b", "q"])
    }

    @Test("P4 CIO-108 a queue of an older version keeps its setting, whatever its preset says now")
    func olderQueue() throws {
        let place = try Place()
        let store = try place.open()
        try store.writeBlocking { store in
            var queue = QueueRecord(name: "q", createdAt: at(0))
            queue.settings = QueueSettings.preset(named: "customer-io") ?? queue.settings
            queue.settings.whenStartFails = .release
            try store.put(queue)
        }
        store.close()
        try place.sql("DROP TRIGGER sluice_tally_nothing")
        try place.sql("DROP TABLE sluice_known")
        try place.sql("ALTER TABLE sluice_origin DROP COLUMN key")
        for index in ["tally_state", "queue_busy", "queue_order", "queue_moment"] {
            try place.sql("DROP INDEX sluice_\(index)")
        }
        try place.sql("ALTER TABLE sluice_queue DROP COLUMN priority")
        try place.sql("DROP TABLE sluice_ended")
        try place.sql("DROP TABLE sluice_failure")
        for change in Self.sinceEnds { try place.sql(change) }
        try place.sql("UPDATE sluice_schema SET version = version - 18, oldest = version - 18")
        let newer = try place.open()
        defer { newer.close() }
        let settings = try newer.readBlocking { try $0.requireQueue("q").settings }
        #expect(settings.preset == "customer-io" && settings.whenStartFails == .release)
        #expect(QueueSettings.preset(named: "customer-io")?.whenStartFails == .skipRun)
    }

    @Test("P3 counts of errors that no task has are found, and made again")
    func wrongFailures() throws {
        let place = try Place()
        try place.openWithQueue().close()
        try place.sql("INSERT INTO sluice_failure VALUES (1, 7, 't', 'no error', 2, 2, 0, 0)")
        let store = try place.open()
        defer { store.close() }
        let words = ["queues whose counts of errors do not follow from the tasks: 1"]
        #expect(try store.readBlocking { try $0.problems(.tasks) } == words)
        _ = try store.writeBlocking { try $0.rebuildIndexes() }
        #expect(try store.readBlocking { try $0.problems(.tasks) } == [])
    }

    @Test("P4 failed tasks of an older version are counted by their errors")
    func olderFailures() throws {
        let place = try Place()
        let store = try place.open()
        try store.writeBlocking { store in
            try store.put(QueueRecord(name: "q", createdAt: at(0)))
            let tasks = (1...3).map { id in
                QueueTask(
                    id: id, queue: "q", type: "t", position: id, createdAt: at(0),
                    state: .failed(Failure(at: at(id), reason: "no \(id)", startPolicy: nil)))
            }
            try store.insert(tasks.map { NewTask(task: $0, payload: []) })
        }
        store.close()
        try place.sql("DROP TABLE sluice_ended")
        try place.sql("DROP TABLE sluice_failure")
        for change in Self.sinceEnds { try place.sql(change) }
        try place.sql("UPDATE sluice_schema SET version = version - 16, oldest = version - 16")
        let newer = try place.open()
        defer { newer.close() }
        let counts = try newer.readBlocking { try $0.failureCounts(queue: "q") }
        #expect(counts.map(\.kind.text) == ["no #"])
        #expect(counts.map(\.count) == [3] && counts.map(\.last) == [at(3)])
    }

    @Test("P4 how far back programs can work with tables, by the steps that made them")
    func history() {
        func history(_ steps: String) -> TableHistory {
            TableHistory(steps.map { Migration(["\($0)"], isCompatible: $0 == "+") })
        }
        #expect(["-", "--", "-+", "-+-", "-+-++"].map { history($0).oldest } == [1, 2, 1, 3, 3])
        let (old, new) = (history("--"), history("--+"))
        #expect(new.statements(from: 2) == ["+"] && new.oldest == 2)
        #expect(old.works(with: new.version, oldest: new.oldest))
        #expect(!old.works(with: 3, oldest: 3) && new.works(with: 1, oldest: 1))
    }

    @Test(
        "P3 a damaged store is reported and never overwritten",
        arguments: ["head", "end", "tables"])
    func damaged(what: String) throws {
        let place = try Place()
        let store = try place.openWithQueue()
        try store.writeBlocking {
            _ = try $0.insertTasks(2000, payload: Array(repeating: 7, count: 300))
        }
        store.close()
        var bytes = try place.bytes()
        switch what {
        case "head": bytes.replaceSubrange(0..<16, with: Array(repeating: 0x58, count: 16))
        case "end": bytes.removeLast(bytes.count / 2)
        default: bytes.replaceSubrange(100..<4096, with: Array(repeating: 0xA5, count: 3996))
        }
        try Files.writeAtomically(bytes, to: place.path)
        #expect(code(place, create: true) == .damagedStore)
        #expect(code(place, readOnly: true) == .damagedStore)
        #expect(try place.bytes() == bytes)
    }

    @Test("D11 a store for reading refuses every write at once")
    func readOnly() async throws {
        let place = try Place()
        try place.openWithQueue().close()
        let store = try place.open(readOnly: true)
        #expect(store.isReadOnly)
        #expect(throws: QueueError.readOnlyStore(place.path)) {
            try store.writeBlocking { _ = try $0.reserveNumber() }
        }
        await #expect(throws: QueueError.readOnlyStore(place.path)) {
            try await store.write { _ = try $0.reserveNumber() }
        }
        #expect(try await store.read { try $0.queues().count } == 1)
        store.close()
    }

    @Test("P5 a file that others own is denied", .disabled(if: ProcessIdentity.userID == 0))
    func denied() throws {
        let place = try Place()
        #expect(throws: QueueError.self) {
            try SQLiteStore.open(path: "/root/store.db", createIfMissing: true)
        }
        try Files.makeDirectory("\(place.folder)/closed", mode: 0o500)
        do {
            _ = try SQLiteStore.open(path: "\(place.folder)/closed/s.db", createIfMissing: true)
            Issue.record("it was made")
        } catch {
            #expect(error.code == .denied)
        }
    }

    @Test("P1 durability is kept in the store and changed by its record")
    func durability() throws {
        let place = try Place()
        let store = try place.open()
        var record = try store.readBlocking { try $0.storeRecord() }
        #expect(record.durability == .normal)
        record.durability = .full
        record.forcedNetwork = false
        record.pauses = [Pause(cause: .store, by: "a", reason: nil, since: at(0))]
        let changed = record
        try store.writeBlocking { try $0.put(changed) }
        store.close()
        let again = try place.open(createIfMissing: false)
        #expect(try again.readBlocking { try $0.storeRecord() } == record)
        again.close()
    }

    static let firstUses: [(FirstUse, Int)] = [
        (.breakpoint, TableHistory.stopping.file), (.fault, TableHistory.injecting.file),
        (.clock, TableHistory.clocked.file), (.checkpoint, TableHistory.keeping.file),
        (.typeRank, TableHistory.pacing.file),
    ]

    @Test(
        "P4 G1 G2 G3 G5 Q14 the first use of a part ends programs that would ignore it, only then",
        arguments: firstUses)
    func firstUse(_ use: FirstUse, _ version: Int) throws {
        let place = try Place()
        let store = try place.openWithQueue()
        defer { store.close() }
        func oldest() throws -> [String] { try place.sql("SELECT oldest FROM sluice_schema") }
        #expect(try oldest() == ["\(Schema.history.oldest)"])
        #expect(Schema.history.oldest < version && Schema.version >= version)
        try store.writeBlocking(use.write)
        #expect(try oldest() == ["\(version)"])
    }

    @Test("P4 every version is made of the one before, from none")
    func migrations() {
        #expect(Schema.version == Schema.history.migrations.count)
        #expect(Schema.history.migrations.allSatisfy { !$0.statements.isEmpty })
    }

    @Test(
        "K8 a file that was removed or replaced while it was open is no longer read",
        arguments: [
            false, true,
        ])
    func lostPlace(isReplaced: Bool) throws {
        let place = try Place()
        let store = try place.openWithQueue()
        defer { store.close() }
        let notices = Protected(0)
        let gate = try EventSignal()
        let observation = try store.observe {
            notices.withLock { $0 += 1 }
            gate.signal()
        }
        #expect(try store.readBlocking { try $0.queues().count } == 1)
        try Files.rename(place.path, to: "\(place.folder)/aside")
        if isReplaced { try Files.writeAtomically([], to: place.path) }
        _ = try Poll.wait(
            fds: [PollInterest(gate.descriptor.number)], timeoutMilliseconds: 10_000)
        #expect(notices.withLock { $0 } > 0)
        let read = #expect(throws: QueueError.self) {
            try store.readBlocking { try $0.queues().count }
        }
        #expect(read?.code == .noStore)
        let write = #expect(throws: QueueError.self) {
            try store.writeBlocking { try $0.put(QueueRecord(name: "r", createdAt: at(0))) }
        }
        #expect(write?.code == .noStore)
        try Files.rename("\(place.folder)/aside", to: place.path)
        #expect(try store.readBlocking { try $0.queues().count } == 1)
        withExtendedLifetime(observation) {}
    }

    @Test("P3 SQLite's codes about a file that has gone are told as that", arguments: [8, 10, 14])
    func codesOfWhatIsGone(code: Int32) throws {
        let place = try Place()
        #expect(SQLiteFailure.error(code, message: "", path: place.path).code == .noStore)
        try Files.writeAtomically([], to: place.path)
        #expect(SQLiteFailure.error(code, message: "", path: place.path).code != .noStore)
    }
}

/// The first use of a part that older programs would ignore.
enum FirstUse: Sendable {
    case breakpoint, fault, clock, checkpoint, typeRank

    func write(_ writer: any StoreWriter) throws {
        var record = try writer.storeRecord()
        switch self {
        case .breakpoint:
            record.breakpoints.last = 1
            record.breakpoints.all = [
                try Breakpoint(number: 1, filter: TaskFilter("type:a"), by: "ann")
            ]
        case .fault:
            record.faults.last = 1
            record.faults.all = [
                try Fault(number: 1, filter: TaskFilter("type:a"), kind: .twice, by: "ann")
            ]
        case .clock: record.clock = ClockSetting(.offset(1), by: "ann", since: at(1))
        case .checkpoint:
            try writer.transact(at: at(0)) {
                _ = try $0.take(checkpoint: "a", by: "ann", sequence: 1)
            }
            return
        case .typeRank:
            var queue = try writer.requireQueue("q")
            queue.settings.ranks = TypeRanks().changed(to: [["a"]])
            return try writer.put(queue)
        }
        try writer.put(record)
    }
}
