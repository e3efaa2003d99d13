import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

/// Changes one byte of a store's file. Sluice reports it, does not hang, and loses no task.
@Suite("end to end: damage", .enabled(if: Tool.sqlite))
struct DamageTests {
    /// The number of changed bytes; 300 in a full run.
    private static let flips =
        ProcessIdentity.environment("SLUICE_FLIPS").flatMap { Int($0) } ?? 24

    @Test("P3 A2 a byte that is changed is told by doctor, hangs nobody, and hides no task")
    func flips() async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace.withScene()
            let whole = try Files.read(place.store, limitBytes: 1 << 24)
            var random = SeededChance(seed: 21)
            let indexes = Pages.indexes(of: whole)
            var damaged = 0
            var number = 0
            // Most bytes of a page have no effect, so continue until one does.
            while number < Self.flips || (damaged == 0 && number < 10 * Self.flips) {
                let page =
                    number % 2 == 0
                    ? indexes[random.number(0...indexes.count - 1)]
                    : random.number(1...whole.count / Pages.bytes - 1)
                let at = page * Pages.bytes + random.number(0...Pages.bytes - 1)
                var bytes = whole
                bytes[at] ^= UInt8(random.number(1...255))
                if try place.judge(bytes, "byte \(at)") { damaged += 1 }
                number += 1
            }
            #expect(damaged > 0)
        }
    }

    @Test(
        "P3 an index without a row: doctor says it, nothing is written, and a repair loses nothing")
    func missingRow() async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace.withScene()
            let before = try place.list(["mail"]).count
            try place.loseIndexRow()
            let seen = try place.sluice(["doctor", "--json"])
            #expect(seen.code == 1 && seen.json["damaged"] == true, "\(seen)")
            #expect(seen.json["problems"]?[0]?.string?.contains("missing from index") == true)
            let refused = try place.sluice(["enqueue", "mail", "a", "--json"])
            #expect(refused.code == 2 && refused.errorCode == "damagedStore", "\(refused)")
            #expect(refused.errors.contains("sluice doctor --repair --store"), "\(refused)")
            #expect(try place.sluice(["list", "mail"]).code == 0)
            let repaired = try place.json(["doctor", "--repair"])
            #expect(repaired["repaired"] == true)
            #expect(repaired["done"]?.array?.last?.string?.contains("nothing was lost") == true)
            #expect(Files.exists("\(place.store).damaged-1"))
            #expect(try place.sluice(["doctor"]).code == 0)
            #expect(try place.list(["mail"]).count == before)
            try place.json(["enqueue", "mail", "a"])
        }
    }

    @Test("P3 A2 a worker does not end with 0 where an index hides a task, and says which command")
    func hiddenTask() async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace.withScene()
            try place.loseIndexRow()
            let worker = try place.work()
            #expect(worker.code == 2, "\(worker)")
            #expect(worker.errors.contains("sluice doctor --repair --store"), "\(worker)")
            try place.expecting(0, place.sluice(["doctor", "--repair"]))
            try place.expecting(0, place.work())
            #expect(try place.list(["mail"]).isEmpty)
        }
    }

    @Test("P3 a repair that cannot read the file says so, and sends nobody back to itself")
    func beyondRepair() async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace.withScene()
            let damage = "SET sql = 'CREATE INDE' WHERE name = 'sluice_event_task'"
            try place.sql("PRAGMA writable_schema = ON; UPDATE sqlite_schema \(damage)")
            let seen = try place.sluice(["doctor", "--json"])
            #expect(seen.code == 2 && seen.errorCode == "damagedStore", "\(seen)")
            let repaired = try place.sluice(["doctor", "--repair", "--json"])
            #expect(repaired.code == 2 && repaired.errorCode == "damagedStore", "\(repaired)")
            #expect(!repaired.errors.contains("doctor --repair"), "\(repaired)")
            #expect(repaired.errors.contains("backup"), "\(repaired)")
        }
    }

    @Test("P3 rows that cannot be read are named, the others are saved, and no number comes twice")
    func lostRows() async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace.withScene()
            let all = try place.list(["mail"]).count
            var bytes = try Files.read(place.store, limitBytes: 1 << 24)
            let leaf = try place.leafOfTasks()
            bytes.replaceSubrange(
                leaf * Pages.bytes..<leaf * Pages.bytes + 200,
                with: Array(repeating: 0xA5, count: 200))
            try place.put(bytes)
            #expect(try place.sluice(["doctor"]).code == 1)
            let repaired = try place.json(["doctor", "--repair"])
            #expect(repaired["repaired"] == true, "\(repaired)")
            let done = (repaired["done"]?.array ?? []).compactMap(\.string)
            #expect(done.contains { $0.hasPrefix("tasks from number ") }, "\(done)")
            let left = try place.list(["mail"]).count
            #expect(left > all / 2 && left < all)
            #expect(try place.sluice(["doctor"]).code == 0)
            let ids = try place.json(["enqueue", "mail", "a"])["ids"]
            #expect(ids == .array([.integer(Int64(all + 1))]))
        }
    }
}

/// The pages of an SQLite file.
private enum Pages {
    static let bytes = 4096

    /// The index pages, by their first byte.
    static func indexes(of file: [UInt8]) -> [Int] {
        (1..<file.count / bytes).filter { [0x0A, 0x02].contains(file[$0 * bytes]) }
    }
}

extension Workplace {
    /// A store with some pages of everything.
    fileprivate static func withScene() throws -> Workplace {
        let place = try Workplace()
        try place.expecting(0, place.sluice(["init", "--durability", "normal"]))
        try place.write(#"{"handlers":{"*":{"simulate":{}}}}"#, to: "handlers.json")
        let pad = String(repeating: "x", count: 40)
        let lines = (0..<160).map { number in
            #"{"type":"\#(["a", "b"][number % 2])","payload":{"n":\#(number),"pad":"\#(pad)"}}"#
        }
        try place.write(lines.joined(separator: "\n"), to: "lines")
        try place.json(["enqueue", "mail", "--jsonl", place.file("lines")])
        try place.json(["skip", "--filter", "type:b", "--yes"])
        try place.json(["undo"])
        try place.sql("PRAGMA wal_checkpoint(TRUNCATE)")
        return place
    }

    @discardableResult
    fileprivate func sql(_ statement: String) throws -> String {
        try expecting(0, start("sqlite3", [store, statement]).answer()).output
    }

    /// Replaces the store's file and removes its companions.
    fileprivate func put(_ bytes: [UInt8]) throws {
        for name in try Files.list(Files.parent(of: store)) where name.hasPrefix("app.db") {
            try Files.removeTree("\(Files.parent(of: store))/\(name)")
        }
        try Files.writeAtomically(bytes, to: store)
    }

    fileprivate func work() throws -> ProgramAnswer {
        let words = ["work", "--handlers", file("handlers.json"), "--until-empty", "--quiet"]
        return try start(try BuiltProgram.path(), words).answer(withinSeconds: 60)
    }

    /// Takes a row out of an index and leaves the table as it is.
    fileprivate func loseIndexRow() throws {
        try sql(
            """
            PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET sql = sql || ' WHERE id <> 100'
            WHERE name = 'sluice_task_lane';
            """)
        try sql("REINDEX sluice_task_lane")
        try sql(
            """
            PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET sql = replace(sql, ' WHERE id <> 100', '')
            WHERE name = 'sluice_task_lane';
            """)
        try sql("PRAGMA wal_checkpoint(TRUNCATE)")
    }

    /// A leaf in the middle of the table of tasks.
    fileprivate func leafOfTasks() throws -> Int {
        let pages = try sql(
            "SELECT pageno FROM dbstat WHERE name = 'sluice_task' AND pagetype = 'leaf'"
        ).split(separator: "\n").compactMap { Int($0) }
        return try #require(pages.dropFirst(pages.count / 2).first) - 1
    }

    /// Holds doctor, a worker and a verb to their word on a file; says whether it is damaged.
    fileprivate func judge(_ bytes: [UInt8], _ what: String) throws -> Bool {
        try put(bytes)
        let check = try start("sqlite3", [store, "PRAGMA integrity_check"]).answer()
        let isDamaged = check.output != "ok\n"
        try put(bytes)
        let doctor = try sluice(["doctor"])
        if isDamaged {
            #expect(doctor.code != 0, "\(what): \(check.output) \(doctor)")
            #expect((doctor.output + doctor.errors).contains("damaged"), "\(what): \(doctor)")
            #expect(try sluice(["enqueue", "mail", "a"]).code != 0, "\(what)")
        }
        try put(bytes)
        let worker = try work()
        if worker.code == 0 {
            let left = try sql("SELECT count(*) FROM sluice_task NOT INDEXED WHERE state < 2")
            #expect(left == "0\n", "\(what): \(worker)")
        } else {
            #expect(worker.code > 0 && worker.errors.contains("sluice: "), "\(what): \(worker)")
        }
        return isDamaged
    }
}
