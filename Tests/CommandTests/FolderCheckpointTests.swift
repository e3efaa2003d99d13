import SluiceModel
import SluiceSystem
import Testing

@testable import SluiceCommand

@Suite("Checkpoints of a folder")
struct FolderCheckpointTests {
    private static let ids = [
        "3143DAD0-E28A-42E6-84B1-D9F6779DCF91", "6C0BEF56-E407-4176-89D3-A498CBEA671F",
    ]

    private func entry(_ id: String) -> String {
        #"{"created_at":1670517033,"task_persisted_id":"\#(id)","task_type":"trackEvent"}"#
    }

    private func file(_ id: String, runs: Int, _ data: String = "e30=") -> String {
        #"{"data":"\#(data)","run_results":{"total_runs":\#(runs)},"storage_id":"\#(id)","#
            + #""type":"trackEvent"}"#
    }

    private func write(_ text: String, _ path: String) throws {
        try Files.writeAtomically(Array(text.utf8), to: path)
    }

    private func files(_ queue: String) throws -> [String: [UInt8]] {
        let tasks = try Files.list("\(queue)/tasks").map { "tasks/\($0)" }
        var all: [String: [UInt8]] = [:]
        for name in tasks + ["inventory.json"] {
            all[name] = try Files.read("\(queue)/\(name)", limitBytes: 1 << 20)
        }
        return all
    }

    @Test(
        "G5 P6 CIO-115 what the app did since is shown and taken back; taking one changes no file")
    func appChanges() throws {
        let root = try Files.makeTemporaryDirectory(prefix: "folder-checkpoint-")
        defer { try? Files.removeTree(root) }
        let queue = "\(root)/site/queue"
        try Files.makeDirectory("\(queue)/tasks", withParents: true)
        for id in Self.ids { try write(file(id, runs: 0), "\(queue)/tasks/\(id).json") }
        try write("[\(Self.ids.map(entry).joined(separator: ","))]", "\(queue)/inventory.json")
        let bench = Bench()
        func run(_ words: String...) -> Bench.Outcome { bench.run(words + ["--store", queue]) }
        let before = try files(queue)
        let taken = run("checkpoint", "a")
        #expect(taken.exit == .done, "\(taken)")
        #expect(try files(queue) == before)
        // The app counts a run of the first, with other data, and removes the second.
        try write(file(Self.ids[0], runs: 2, "eyJhIjoxfQ=="), "\(queue)/tasks/\(Self.ids[0]).json")
        try Files.remove("\(queue)/tasks/\(Self.ids[1]).json")
        try write("[\(entry(Self.ids[0]))]", "\(queue)/inventory.json")
        let shown = run("diff", "a")
        #expect(shown.exit == .done, "\(shown)")
        #expect(shown.output.contains("3143DAD0") && shown.output.contains("6C0BEF56"), "\(shown)")
        let back = run("restore", "a", "--yes")
        #expect(back.exit == .done, "\(back)")
        #expect(try files(queue) == before)
        #expect(run("diff", "a", "--json").json["tasks"] == [])
    }
}
