import SluiceModel
import SluiceSystem
import Testing

@testable import SluiceCommand

@Suite("The console log of an app, joined to its folder")
struct AppLogTests {
    private static let ios = """
        2022-12-08 12:03:53 App[1:2] [CIO]: queue tasks left to run: 2
        [CIO]: queue next task to run: 3143D, identifyProfile, {"secret":"kim"}, totalRuns: 0
        [CIO]: queue task 3143D run failed noRequestMade
        [CIO]: queue task 3143D updating run history from: totalRuns: 0 to: totalRuns: 1
        something else
        [CIO]: queue next task to run: 6C0BE, trackEvent, {}, totalRuns: 0
        [CIO]: queue task 6C0BE ran successfully
        [CIO]: queue deleting task 6C0BE
        [CIO]: queue next task to run: FFFFF, other, {}, totalRuns: 0
        """

    private func folder() throws -> (root: String, queue: String) {
        let root = try Files.makeTemporaryDirectory(prefix: "app-log-")
        let queue = "\(root)/site/queue"
        try Files.makeDirectory("\(queue)/tasks", withParents: true)
        let ids = [
            "3143DAD0-E28A-42E6-84B1-D9F6779DCF91", "6C0BEF56-E407-4176-89D3-A498CBEA671F",
        ]
        let entries = zip(ids, ["identifyProfile", "trackEvent"]).map { id, type in
            #"{"created_at":1670517033,"task_persisted_id":"\#(id)","task_type":"\#(type)"}"#
        }
        for (id, type) in zip(ids, ["identifyProfile", "trackEvent"]) {
            let file =
                #"{"data":"e30=","run_results":{"total_runs":0},"storage_id":"\#(id)","#
                + #""type":"\#(type)"}"#
            try Files.writeAtomically(Array(file.utf8), to: "\(queue)/tasks/\(id).json")
        }
        let inventory = "[\(entries.joined(separator: ","))]"
        try Files.writeAtomically(Array(inventory.utf8), to: "\(queue)/inventory.json")
        return (root, queue)
    }

    @Test("P6 CIO-114 the reason of a failure is at its task, without payloads")
    func joined() throws {
        let place = try folder()
        defer { try? Files.removeTree(place.root) }
        var bench = Bench()
        bench.input = Self.ios
        let answer = bench.run(["log", "--app", "-", "--store", place.queue])
        #expect(answer.exit == .done, "\(answer)")
        let lines = answer.output.split(separator: "\n").map(String.init)
        #expect(lines.count == 8 && !answer.output.contains("kim"), "\(answer.output)")
        #expect(lines[2].contains("3143DAD0") && lines[2].contains("identifyProfile"))
        #expect(lines[2].hasSuffix("failed in the app: noRequestMade"))
        #expect(lines[7].contains("FFFFF") && lines[7].contains("other"))
        let one = bench.run(["log", "6C0BEF56", "--app", "-", "--store", place.queue, "--json"])
        let entries = one.json["entries"]?.array ?? []
        #expect(entries.map { $0["kind"] } == ["started", "succeeded", "deleted"])
        #expect(entries.map { $0["line"] } == [6, 7, 8])
    }

    @Test("CIO-114 a log of Android has whole ids, and the answer of a refused request")
    func android() {
        let id = "6f2b5c0e-8a51-4b0e-9d7f-0c1b2a3d4e5f"
        let log = AppLog(
            Array(
                """
                D/[CIO]: queue next task to run: \(id), TrackEvent, {"a":1}, QueueTaskRunResults(0)
                D/[CIO]: queue task \(id) run failed BadRequest
                E/[CIO]: Received HTTP 400 response while trying to run TrackEvent. 400 responses \
                never succeed. Error message from API: bad id, request data sent: {"a":1}
                D/[CIO]: queue task \(id), updating run history from: 0 to: 1

                """.utf8))
        #expect(log.lines == 4)
        #expect(log.entries.map(\.kind) == [.started, .failed, .refused, .counted])
        #expect(log.entries.map(\.id) == Array(repeating: id, count: 4))
        #expect(log.entries[2].reason == "HTTP 400: bad id" && log.entries[2].line == 3)
    }

    @Test("CIO-114 another store, a wrong option and an empty log are told")
    func refused() throws {
        var bench = Bench()
        bench.input = Self.ios
        #expect(bench("log --app - --json").errorCode == "notLegal")
        #expect(bench("log --app - --follow").exit == .usage)
        let place = try folder()
        defer { try? Files.removeTree(place.root) }
        bench.input = "hello\n"
        let none = bench.run(["log", "--app", "-", "--store", place.queue])
        #expect(none.output.contains("none of 1 lines is about such a task"), "\(none)")
    }
}
