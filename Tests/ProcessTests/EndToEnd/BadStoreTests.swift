import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

/// Places that are no store, or none that may be used: refused, and left as they were.
@Suite("end to end: bad stores", .serialized)
struct BadStoreTests {
    static let verbs: [[String]] = [
        ["queues"], ["pause", "mail"], ["enqueue", "mail", "job"], ["list"],
    ]

    @Test("a store that is not there is named, and reading makes none")
    func missing() async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace()
            for words in [["queues"], ["pause", "mail"], ["list"], ["step", "mail"]] {
                let answer = try place.sluice(words + ["--json"])
                #expect(answer.code == 2)
                #expect(answer.errorCode == "noStore")
            }
            #expect(try place.storeFiles() == [])
        }
    }

    @Test("P3 a text file and a folder are no store, and stay as they are", arguments: verbs)
    func noStore(words: [String]) async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace()
            let text = String(repeating: "Dear diary, this is no database.\n", count: 100)
            try place.write(text, to: "store/app.db")
            let file = try place.sluice(words + ["--json"])
            #expect(file.code == 2, "\(file)")
            #expect(file.errorCode == "notAStore")
            #expect(place.text("store/app.db") == text)
            #expect(try place.storeFiles() == ["app.db"])
            try place.makeFolder("folder")
            let folder = try place.sluice(words + ["--json", "--store", place.file("folder")])
            #expect(folder.code == 2, "\(folder)")
            #expect(folder.errorCode == "notAStore")
            #expect(try Files.list(place.file("folder")) == [])
        }
    }

    @Test("P4 a newer schema is refused, and nothing is changed", .enabled(if: Tool.sqlite))
    func newer() async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace.withStore()
            try place.json(["enqueue", "mail", "job"])
            let change =
                "UPDATE sluice_schema SET version = 99, oldest = 99; PRAGMA journal_mode = DELETE"
            let sqlite = try place.start("sqlite3", [place.store, change])
            #expect(try sqlite.answer().code == 0)
            let before = try Files.read(place.store, limitBytes: 1 << 24)
            for words in Self.verbs {
                let answer = try place.sluice(words + ["--json"])
                #expect(answer.code == 2)
                #expect(answer.errorCode == "newerSchema")
            }
            #expect(try Files.read(place.store, limitBytes: 1 << 24) == before)
        }
    }

    @Test("P5 another user is denied, and nothing is changed", .enabled(if: Tool.otherUser))
    func denied() async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace.withStore()
            try place.json(["enqueue", "mail", "job"])
            let open = "chmod 755 \"$0\" \"$0/store\""
            #expect(try place.start("sh", ["-c", open, place.path]).answer().code == 0)
            let program = try BuiltProgram.path()
            let before = try Files.read(place.store, limitBytes: 1 << 24)
            for words in Self.verbs {
                let other = ["--reuid=65534", "--clear-groups", program] + words + ["--json"]
                let answer = try place.start("setpriv", other).answer()
                #expect(answer.code == 2, "\(answer)")
                #expect(answer.errorCode == "denied", "\(answer)")
            }
            #expect(try Files.read(place.store, limitBytes: 1 << 24) == before)
            #expect(try place.list(["mail"]).count == 1)
        }
    }
}

/// Programs of the machine that some tests need.
enum Tool {
    static let sqlite = Files.exists("/usr/bin/sqlite3")
    /// Whether a process can be started for another user, who can reach the program.
    static let otherUser: Bool = {
        guard ProcessIdentity.userID == 0, Files.exists("/usr/bin/setpriv"),
            let program = try? BuiltProgram.path(), let place = try? Workplace()
        else { return false }
        let words = ["--reuid=65534", "--clear-groups", program, "version"]
        return (try? place.start("setpriv", words).answer().code) == 0
    }()
}

extension Workplace {
    /// The store's files, without the outputs.
    func storeFiles() throws -> [String] {
        try Files.list(file("store")).filter { !$0.hasPrefix("run-") }
    }
}
