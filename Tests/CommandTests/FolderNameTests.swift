import SluiceModel
import SluiceStore
import SluiceSystem
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

    @Test("P6 G1 G5 a step, where it stopped and its taking back name the task by its UUID")
    func steps() throws {
        let folder = try folder("3143DAD0-E28A-42E6-84B1-D9F6779DCF91")
        let root = Files.parent(of: folder)
        defer { try? Files.removeTree(root) }
        let handlers = "\(root)/handlers.json"
        try Files.writeAtomically(
            Array(#"{"handlers":{"*":{"simulate":{}}}}"#.utf8), to: handlers)
        var bench = Bench()
        bench.environment["SLUICE_STORE"] = folder
        let queue = bench("queues --json").json["queues"]?[0]?["name"]?.string ?? ""
        func say(_ line: String, names: Bool = true) {
            let outcome = bench(line)
            #expect(outcome.exit == .done, "\(line): \(outcome)")
            #expect(!outcome.output.contains("#1"), "\(line): \(outcome.output)")
            #expect(outcome.output.contains("3143DAD0") == names, "\(line): \(outcome.output)")
        }
        say("pause \(queue)", names: false)
        say("break type:track --after", names: false)
        say("step \(queue) --handlers \(handlers)")
        for line in ["queues", "queues --json", "break list", "log", "log --json"] { say(line) }
        say("step --back \(queue)")
        for line in ["list", "show 3143DAD0", "why 3143DAD0"] { say(line) }
        #expect(try text("\(folder)/inventory.json").contains("\"3143DAD0-E28A"))
        for line in ["queues", "report 3143DAD0", "undo", "step --back \(queue) --json"] {
            say(line)
        }
        say("step \(queue) --handlers \(handlers)")
        say("resume \(queue) --json")
    }

    @Test("P6 a pause that a task brought names it by its UUID, and is stored with its number")
    func pause() throws {
        let folder = try folder("3143DAD0-E28A-42E6-84B1-D9F6779DCF91")
        let root = Files.parent(of: folder)
        defer { try? Files.removeTree(root) }
        let handlers = "\(root)/handlers.json"
        let entry = #"{"simulate":{"outcome":"pauseQueue","error":"unauth"}}"#
        try Files.writeAtomically(
            Array(#"{"handlers":{"*":\#(entry)}}"#.utf8), to: handlers)
        var bench = Bench()
        bench.environment["SLUICE_STORE"] = folder
        let queue = bench("queues --json").json["queues"]?[0]?["name"]?.string ?? ""
        _ = bench("step \(queue) --handlers \(handlers)")
        let stored = try StorePlace(folder).open(StoreAccess(isReadOnly: true)) { Bench.start }
        let pauses = try stored.readBlocking { try $0.requireQueue(queue).pauses }
        stored.close()
        #expect(pauses.map(\.by) == ["#1 track"])
        for line in [
            "queues", "queues --json", "why 3143DAD0", "why 3143DAD0 --json", "log",
            "report 3143DAD0", "list --json", "show 3143DAD0 --json", "resume \(queue) --json",
            "log", "undo", "resume \(queue)", "log --json",
        ] {
            let outcome = bench(line)
            #expect(outcome.exit == .done, "\(line): \(outcome)")
            #expect(outcome.output.contains("3143DAD0 track"), "\(line): \(outcome)")
            #expect(!outcome.output.contains("#1"), "\(line): \(outcome)")
        }
    }

    private func text(_ path: String) throws -> String {
        String(decoding: try Files.read(path, limitBytes: 1 << 20), as: UTF8.self)
    }
}
