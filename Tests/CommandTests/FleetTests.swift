import SluiceControl
import SluiceModel
import SluiceStore
import SluiceSystem
import Testing

@testable import SluiceCommand

@Suite("Commands at several places")
struct FleetTests {
    private let root: String

    init() throws {
        root = try Files.makeTemporaryDirectory(prefix: "fleet-")
        for (name, type) in [("a", "mail"), ("b", "push")] {
            let place = StorePlace("\(root)/\(name).db")
            try place.open(StoreAccess(createsIfMissing: true), now: { Bench.start }).close()
            let words = ["enqueue", type, "send", "{}", "--store", place.name]
            #expect(Bench().run(words).exit == .done)
        }
        try Files.writeAtomically(Array("no store".utf8), to: "\(root)/text.db")
    }

    private func stores(_ names: String...) -> [String] {
        names.flatMap { ["--store", "\(root)/\($0)"] }
    }

    @Test("each place answers under its name, and one that cannot takes no answer from the others")
    func answers() throws {
        defer { try? Files.removeTree(root) }
        let answer = Bench().run(["queues"] + stores("a.db", "text.db", "b.db"))
        #expect(answer.exit == .usage, "\(answer)")
        let lines = answer.output.split(separator: "\n").map(String.init)
        let heads = lines.filter { !$0.hasPrefix(" ") }
        #expect(heads == ["a.db", "text.db", "b.db"].map { "\(root)/\($0)" })
        #expect(lines.contains { $0.contains("mail") } && lines.contains { $0.contains("push") })
        #expect(answer.output.contains("sluice: \(root)/text.db is"))
        let json = Bench().run(["queues", "--json"] + stores("a.db", "text.db"))
        #expect(json.exit == .usage)
        let places = try #require(json.json["places"]?.array)
        #expect(places[0]["store"] == .string("\(root)/a.db"))
        #expect(places[0]["answer"]?["queues"]?[0]?["name"] == "mail")
        #expect(places[1]["error"]?["code"] == "notAStore")
        let doctor = Bench().run(["doctor", "\(root)/a.db", "\(root)/b.db"])
        #expect(doctor.exit == .done && doctor.output.contains("\(root)/b.db\n"), "\(doctor)")
        #expect(Bench().run(["failures"] + stores("a.db", "b.db")).exit == .done)
    }

    @Test("a command for one store refuses two, and a place is named once")
    func refusals() throws {
        defer { try? Files.removeTree(root) }
        let list = Bench().run(["list"] + stores("a.db", "b.db"))
        #expect(list.exit == .usage)
        #expect(list.errors.contains("--store is given twice"), "\(list)")
        let twice = Bench().run(["queues"] + stores("a.db", "b.db", "./a.db"))
        #expect(twice.exit == .usage && twice.errors.contains("a.db is named twice"), "\(twice)")
        let word = Bench().run(["queues", "--colour"] + stores("a.db", "b.db"))
        #expect(word.exit == .usage && word.errors.contains("--colour"), "\(word)")
        let console = Bench().run(["\(root)/a.db", "\(root)/b.db"])
        #expect(console.exit == .usage)
        #expect(console.errors.contains("the console of several places needs a terminal"))
    }

    @Test("a file names places, one a line, with comments")
    func file() throws {
        defer { try? Files.removeTree(root) }
        var bench = Bench()
        bench.files = [
            "fleet": "# mine\n  \(root)/a.db \n\nredis://prod/0\r\n", "empty": "# nothing\n",
        ]
        let host = bench.host
        func call(_ words: String...) throws -> FleetCall? {
            try FleetCall(words.map { Word($0) }, host)
        }
        #expect(try call("--fleet", "fleet")?.places == ["\(root)/a.db", "redis://prod/0"])
        let both = try #require(try call("--ascii", "x.db", "--fleet", "fleet"))
        #expect(both.places == ["x.db", "\(root)/a.db", "redis://prod/0"])
        #expect(both.words.map(\.text) == ["--ascii"] && both.command == nil)
        #expect(try call("x.db") == nil && call() == nil && call("queues") == nil)
        let empty = #expect(throws: QueueError.self) { try call("--fleet", "empty") }
        #expect(empty?.message == "--fleet: empty names no place")
        let gone = #expect(throws: QueueError.self) { try call("--fleet", "gone") }
        #expect(gone?.message.contains("--fleet: cannot read gone") == true)
    }

    @Test("no password of a place is shown")
    func secrets() throws {
        defer { try? Files.removeTree(root) }
        let words = ["queues", "--store", "redis://kim:SECRET@127.0.0.1:1/0"] + stores("a.db")
        let answer = Bench().run(words)
        #expect(answer.output.contains("redis://"), "\(answer)")
        #expect(!(answer.output + answer.errors).contains("SECRET"), "\(answer)")
    }
}
