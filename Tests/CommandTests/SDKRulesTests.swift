import SluiceModel
import SluiceSystem
import Testing

@testable import SluiceCommand

@Suite("The SDK's rules in a Customer.io folder")
struct SDKRulesTests {
    /// A folder with one task, a handlers file, and a server's address that refuses connections.
    private func folder(_ handlers: String) throws -> (root: String, queue: String, file: String) {
        let root = try Files.makeTemporaryDirectory(prefix: "sdk-rules-")
        let queue = "\(root)/site/queue"
        try Files.makeDirectory("\(queue)/tasks", withParents: true)
        let entry = #"[{"created_at":1670517033,"task_persisted_id":"a","task_type":"track"}]"#
        let task =
            #"{"data":"e30=","run_results":{"total_runs":0},"storage_id":"a","type":"track"}"#
        try Files.writeAtomically(Array(entry.utf8), to: "\(queue)/inventory.json")
        try Files.writeAtomically(Array(task.utf8), to: "\(queue)/tasks/a.json")
        try Files.writeAtomically(
            Array(#"{"handlers":{"track":\#(handlers)}}"#.utf8), to: "\(root)/handlers.json")
        return (root, queue, "\(root)/handlers.json")
    }

    @Test("P6 CIO-113 a step in a folder says the SDK's rules, and where a handlers file differs")
    func told() throws {
        let place = try folder(#"{"http":{"url":"http://127.0.0.1:1/x","giveUpOn":[404,400]}}"#)
        defer { try? Files.removeTree(place.root) }
        let bench = Bench()
        func step(_ more: String...) -> Bench.Outcome {
            bench.run(["step", "site", "--store", place.queue, "--handlers", place.file] + more)
        }
        let first = step()
        let rule = "sluice: as in the SDK: only HTTP 400 removes a task; the app removes tasks"
        #expect(first.errors.contains(rule), "\(first)")
        #expect(
            first.errors.contains("handlers.json differs: HTTP 400, 404 gives a task of track up"))
        #expect(!first.errors.contains("settings"))
        #expect(step("--quiet").errors == "" && step("--json").errors == "")
        let set = ["queue", "set", "site", "--batch-count", "3", "--store", place.queue]
        #expect(bench.run(set).exit == .done)
        let second = step()
        #expect(
            second.errors.contains(
                "the settings of site differ: batch-count 3, in the SDK 10"), "\(second)")
    }

    @Test("P6 CIO-113 the SDK's own file has no difference, and another store no such line")
    func same() throws {
        let place = try folder(#"{"http":{"url":"http://127.0.0.1:1/x"}}"#)
        defer { try? Files.removeTree(place.root) }
        let bench = Bench()
        let folder = bench.run([
            "step", "site", "--store", place.queue, "--handlers", place.file,
        ])
        #expect(folder.errors.contains("as in the SDK") && !folder.errors.contains("differ"))
        _ = bench("enqueue q track")
        _ = bench("pause q")
        let own = bench.run(["step", "q", "--handlers", place.file])
        #expect(!own.errors.contains("SDK"), "\(own)")
    }
}
