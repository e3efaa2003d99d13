import SluiceControl
import SluiceModel
import SluiceStore
import SluiceSystem
import Testing

@testable import SluiceCommand

@Suite("export and import")
struct TransferTests {
    private let folder: String

    init() throws { folder = try Files.makeTemporaryDirectory(prefix: "transfer-command-") }

    private func put(_ text: String, _ name: String) throws -> String {
        let path = "\(folder)/\(name)"
        try Files.writeAtomically(Array(text.utf8), to: path)
        return path
    }

    @Test("P6 lines go out by a name or to standard output, and come in as they went")
    func lines() throws {
        defer { try? Files.removeTree(folder) }
        let first = Bench()
        #expect(first.run(["enqueue", "mail", "send", "{\"to\":1}", "--label", "l"]).exit == .done)
        #expect(first("enqueue mail later --not-before +5m").exit == .done)
        let out = first("export \(folder)/a.jsonl --json")
        #expect(out.exit == .done && out.json["tasks"] == 2 && out.json["format"] == "lines")
        #expect(out.json["queues"] == ["mail"] && out.json["stopped"] == false)
        #expect(out.json["target"]?.string == "\(folder)/a.jsonl")
        let written = first("export - --quiet")
        #expect(written.errors == "")
        let text = String(
            decoding: try Files.read("\(folder)/a.jsonl", limitBytes: 1 << 20), as: UTF8.self)
        #expect(written.output == text)
        #expect(first("export -").errors == "2 tasks written to standard output\n")
        let second = Bench("other")
        let came = second("import \(folder)/a.jsonl --json")
        #expect(came.exit == .done && came.json["added"] == 2 && came.json["known"] == 0)
        #expect(came.json["created"] == ["mail"] && came.json["failed"] == [])
        #expect(came.json["undo"]?.integer != nil)
        #expect(came.json["error"] == .some(.null))
        let again = second("import \(folder)/a.jsonl")
        #expect(again.exit == .done)
        #expect(again.output.contains("0 tasks imported"))
        #expect(again.output.contains("2 tasks came in before, or are of this store"))
        #expect(second("show 1 --json").json["label"] == "l")
        let undone = second("undo --json")
        #expect(undone.exit == .done && undone.json["changed"]?.array?.count == 2)
    }

    @Test("P6 of many new queues the first are named and the rest counted")
    func manyNewQueues() throws {
        defer { try? Files.removeTree(folder) }
        let lines = (1...20).map { "{\"queue\":\"q\($0)\",\"type\":\"a\"}\n" }.joined()
        let path = try put(lines, "a.jsonl")
        let answer = Bench()("import \(path)")
        #expect(answer.output.contains("new queues: q1, "))
        #expect(answer.output.contains(" and 12 more"))
        #expect(Bench("other")("import \(path) --json").json["created"]?.array?.count == 20)
    }

    @Test("P6 a bad line is named by its number, in both forms")
    func badLine() throws {
        defer { try? Files.removeTree(folder) }
        let bench = Bench()
        let path = try put("{\"type\":\"a\"}\n{\"tipe\":\"b\"}\n", "a.jsonl")
        let before = try bench.contents()
        let answer = bench("import \(path) --queue q")
        #expect(answer.exit == .usage && answer.errors.contains("line 2: there is no field"))
        #expect(answer.errors.contains("did you mean \"type\"?"))
        #expect(bench("import \(path) --queue q --json").errorCode == "badValue")
        #expect(bench("import \(folder)/none.jsonl --json").errorCode == "badValue")
        #expect(bench("import \(folder)/none/ --json").exit == .usage)
        #expect(try bench.contents() == before)
    }

    @Test("T5 what could not come in is named: exit 3, or 1 where nothing did")
    func partly() throws {
        defer { try? Files.removeTree(folder) }
        let bench = Bench()
        #expect(bench("enqueue q t --unique k").exit == .done)
        let taken = "{\"type\":\"t\",\"unique\":\"k\"}"
        let one = try put(taken, "one.jsonl")
        let two = try put("\(taken)\n{\"type\":\"u\"}", "two.jsonl")
        let none = bench("import \(one) --queue q --json")
        #expect(none.exit == .refused && none.json["failed"]?[0]?["line"] == 1)
        #expect(none.json["failed"]?[0]?["code"] == "uniqueTaken")
        let some = bench("import \(two) --queue q")
        #expect(some.exit == .partlyDone && some.output.contains("not imported: line 1: "))
    }

    @Test("K7 both are stopped by who follows them: exit 130, and what is left is said")
    func stopped() throws {
        defer { try? Files.removeTree(folder) }
        let path = try put((0..<3000).map { "{\"type\":\"t\($0)\"}\n" }.joined(), "a.jsonl")
        var bench = Bench()
        bench.stopsAt = 4000
        let part = bench("import \(path) --queue q --json")
        #expect(part.exit == .interrupted && part.json["stopped"] == true)
        #expect(part.json["added"] == 1000)
        bench.stopsAt = nil
        #expect(bench("import \(path) --queue q --json").json["added"] == 2000)
        bench.stopsAt = 1000
        let out = bench("export \(folder)/b.jsonl")
        #expect(out.exit == .interrupted && out.output == "stopped: nothing was written\n")
        #expect(try Files.list(folder) == ["a.jsonl"])
    }

    @Test(
        "D12 a signal stops an export from its first file on, and one that is refused leaves none",
        arguments: ["a.jsonl", "a.db", "a/"])
    func leavesNothing(_ name: String) throws {
        defer { try? Files.removeTree(folder) }
        var bench = Bench()
        #expect(bench("enqueue q t").exit == .done)
        // Signals are heard from here on, and until then nothing is there that they would leave.
        let there = Protected<[String]?>(nil)
        bench.atFollowing = { [folder] in there.withLock { $0 = try? Files.list(folder) } }
        #expect(bench("export \(folder)/\(name)").exit == .done)
        #expect(there.withLock { $0 } == [])
        let before = try Files.list(folder)
        #expect(bench("export \(folder)/b\(name) --queue nosuch").exit == .refused)
        #expect(try Files.list(folder) == before)
    }

    @Test("P6 tasks travel between a store in a file, a folder and lines")
    func formats() throws {
        defer { try? Files.removeTree(folder) }
        let bench = Bench()
        #expect(bench("enqueue q track --group g").exit == .done)
        #expect(bench("enqueue q push --priority 3").exit == .done)
        let db = bench("export \(folder)/a.db --json")
        #expect(db.exit == .done && db.json["format"] == "sqlite")
        let sdk = bench("export \(folder)/site/ --json")
        #expect(sdk.exit == .done && sdk.json["notHeld"]?[0]?["what"] == "priority")
        let text = bench("export \(folder)/other --format folder")
        #expect(text.output.contains("the format does not hold: priority (1)"))
        for source in ["a.db", "site", "other"] {
            let back = bench("import \(folder)/\(source) --json")
            #expect(back.exit == .done && back.json["known"] == 2, "\(source)")
        }
        let fresh = Bench("other")
        #expect(fresh("import \(folder)/site --filter type:track --json").json["added"] == 1)
        #expect(fresh("import \(folder)/a.db --queue site --json").json["added"] == 1)
        #expect(fresh("list site --json").json["tasks"]?.array?.count == 2)
    }

    @Test(
        "export and import say what they need",
        arguments: [
            "export", "export a.txt", "export - --format folder", "export a.jsonl b.jsonl",
            "import",
            "import a.jsonl --filter state:odd", "export a.jsonl --queue \u{1}",
        ])
    func usage(_ line: String) {
        let answer = Bench()(line)
        #expect(answer.exit == .usage && !answer.errors.isEmpty)
    }

    @Test("D11 an import into a store that is open for reading is refused")
    func readOnly() throws {
        defer { try? Files.removeTree(folder) }
        let bench = Bench()
        #expect(bench("enqueue q t").exit == .done)
        let path = try put("{\"type\":\"a\"}", "a.jsonl")
        let answer = bench("import \(path) --queue q --read-only --json")
        #expect(answer.exit == .refused && answer.errorCode == "readOnly")
        #expect(bench("export - --read-only --quiet").output.contains("\"type\":\"t\""))
    }
}
