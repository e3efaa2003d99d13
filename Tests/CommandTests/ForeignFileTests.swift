import SluiceModel
import SluiceSystem
import Testing

@testable import SluiceCommand

/// Commands at other systems' tables in an SQLite file.
@Suite("other systems in a file")
struct ForeignFileTests {
    /// A program whose own stores are not there, and a file with a table.
    private struct Scene {
        let folder: String
        let path: String
        let bench = Bench()

        init(_ columns: String) throws {
            folder = try Files.makeTemporaryDirectory(prefix: "sluice-foreign")
            path = "\(folder)/app.db"
            try Files.writeAtomically([], to: path)
            try SQLiteFile(path: path).rows("CREATE TABLE jobs (\(columns))")
        }

        func run(_ words: String) -> Bench.Outcome {
            bench.refusals.withLock { $0 = [QueueError(.notAStore, "it is none of sluice's")] }
            let all = words.split(separator: " ").map(String.init)
            return bench.run(all + ["--store", path])
        }
    }

    private static let laravel = """
        id INTEGER PRIMARY KEY, queue TEXT, payload TEXT, attempts INTEGER, reserved_at INTEGER,
        available_at INTEGER, created_at INTEGER
        """

    @Test("an old table of a known system is named, and not as a store that is not there")
    func unfit() throws {
        let scene = try Scene(
            "id INTEGER, queue TEXT, payload TEXT, attempts INTEGER, reserved INTEGER")
        defer { try? Files.removeTree(scene.folder) }
        let told = scene.run("queues")
        #expect(told.exit == .usage)
        let words =
            "the table jobs of Laravel lacks the columns available_at, created_at, reserved_at"
        #expect(told.errors.contains(words), "\(told)")
        #expect(told.errors.contains("docs/foreign/tables.md"), "\(told)")
        #expect(scene.run("queues --json").errorCode == "notAStore")
    }

    @Test("a file of huey without one of its tables names that")
    func huey() throws {
        let scene = try Scene("id INTEGER")
        defer { try? Files.removeTree(scene.folder) }
        let file = try SQLiteFile(path: scene.path)
        try file.rows("CREATE TABLE task (id INTEGER, queue TEXT, data BLOB, priority REAL)")
        try file.rows("CREATE TABLE kv (queue TEXT, key TEXT, value BLOB)")
        let words = "huey has the table task there, and no table schedule"
        #expect(scene.run("queues").errors.contains(words))
        try file.rows("CREATE TABLE schedule (id INTEGER, queue TEXT, data BLOB, timestamp REAL)")
        #expect(scene.run("queues").output.contains("no queues"))
    }

    @Test("a task that a hold has left is held in each command, and no next one")
    func left() throws {
        let scene = try Scene(Self.laravel)
        defer { try? Files.removeTree(scene.folder) }
        let file = try SQLiteFile(path: scene.path)
        try file.rows("INSERT INTO jobs VALUES (1, 'mail', '{}', 0, NULL, 1, 1)")
        #expect(scene.run("pause mail").exit == .done)
        #expect(scene.run("list").output.contains("next"))
        try file.rows("DELETE FROM sluice_holds")
        for words in ["list", "list --json", "show 1", "why 1", "report 1"] {
            let told = scene.run(words).output
            #expect(told.contains("held"), "\(words): \(told)")
            #expect(!told.contains("due") && !told.contains("next"), "\(words): \(told)")
        }
        #expect(scene.run("why 1").output.contains("since a hold that ended"))
    }

    @Test("another table is none of a system's, and the store's own error stays")
    func others() throws {
        let scene = try Scene("id INTEGER, title TEXT")
        defer { try? Files.removeTree(scene.folder) }
        #expect(scene.run("queues").errors.contains("it is none of sluice's"))
    }

    @Test("a pause of a queue that no task names says so")
    func mistyped() throws {
        let scene = try Scene(Self.laravel)
        defer { try? Files.removeTree(scene.folder) }
        try SQLiteFile(path: scene.path).rows(
            "INSERT INTO jobs VALUES (1, 'mail', '{}', 0, NULL, 1, 1)")
        let wrong = scene.run("pause maul")
        #expect(wrong.exit == .done)
        #expect(
            wrong.output.contains("no queue maul is known here: its first task will be held"),
            "\(wrong)")
        let right = scene.run("pause mail")
        #expect(!right.output.contains("is known here") && right.output.contains("1 held"))
        #expect(!scene.run("resume maul").output.contains("is known here"))
    }

    @Test("a queue whose name is no UTF-8 is left out of a list of all, which says so")
    func inexactName() throws {
        let scene = try Scene(Self.laravel)
        defer { try? Files.removeTree(scene.folder) }
        let file = try SQLiteFile(path: scene.path)
        try file.rows("INSERT INTO jobs VALUES (1, 'mail', '{}', 0, NULL, 1, 1)")
        try file.rows("INSERT INTO jobs VALUES (2, CAST(x'71ff' AS TEXT), '{}', 0, NULL, 1, 1)")
        for words in ["list", "list --filter state:waiting"] {
            let told = scene.run(words)
            #expect(told.exit == .done, "\(told)")
            #expect(told.output.contains("mail"), "\(told)")
            #expect(told.output.contains("q\u{FFFD} is not read: its name is no UTF-8"))
            let json = scene.run("\(words) --json").json
            #expect(json["tasks"]?.array?.count == 1)
            #expect(json["unread"] == ["q\u{FFFD}"], "\(json)")
        }
        #expect(scene.run("list --json mail").json["unread"] == nil)
    }
}
