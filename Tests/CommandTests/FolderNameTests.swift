import SluiceModel
import SluicePlatform
import Testing

@testable import SluiceCommand

@Suite("Tasks of a folder whose ids are no UUIDs")
struct FolderNameTests {
    /// A folder of the SDK's form with one task of that id.
    private func folder(_ id: String) throws -> String {
        let folder = try Files.makeTemporaryDirectory(prefix: "names-") + "/queue"
        try Files.makeDirectory("\(folder)/tasks", withParents: true)
        let entry =
            #"{"created_at":1670517032,"group_start":"g","task_persisted_id":"\#(id)","#
            + #""task_type":"track"}"#
        let task =
            #"{"data":"e30=","run_results":{"total_runs":0},"storage_id":"\#(id)","#
            + #""type":"track"}"#
        try Files.writeAtomically(Array("[\(entry)]".utf8), to: "\(folder)/inventory.json")
        try Files.writeAtomically(Array(task.utf8), to: "\(folder)/tasks/\(id).json")
        return folder
    }

    @Test("P6 a task has one name in every output", arguments: ["38383839", "first-task", "CAFE"])
    func oneName(_ id: String) throws {
        let folder = try folder(id)
        defer { try? Files.removeTree(Files.parent(of: folder)) }
        var bench = Bench()
        bench.environment["SLUICE_STORE"] = folder
        for line in [
            "list", "show 1", "why 1", "forecast names", "groups names", "list --json",
            "show 1 --json", "postpone 1 +5m", "timers", "skip 1 --json", "skip 1", "log",
            "log --json", "unskip 1", "retry 1",
        ] {
            let queue = bench("queues --json").json["queues"]?[0]?["name"]?.string ?? ""
            let outcome = bench(line.replacing("names", with: queue))
            #expect(outcome.exit == .done, "\(line): \(outcome)")
            #expect(
                !outcome.output.contains(id) && !outcome.output.contains(id.prefix(8)),
                "\(line): \(outcome.output)")
        }
        #expect(bench("list --json").json["tasks"]?[0]?["reference"] == "#1")
    }
}
