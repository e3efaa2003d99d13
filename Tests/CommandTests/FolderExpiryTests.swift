import SluiceModel
import SluiceSystem
import Testing

@testable import SluiceCommand

@Suite("What expires in a folder")
struct FolderExpiryTests {
    private static let day: Int64 = 86_400

    /// A folder with tasks of these ages in days; the second starts a group.
    private func folder(_ ages: [Int64]) throws -> String {
        let folder = try Files.makeTemporaryDirectory(prefix: "expiry-") + "/queue"
        try Files.makeDirectory("\(folder)/tasks", withParents: true)
        var entries: [String] = []
        for (place, age) in ages.enumerated() {
            let id = Self.id(place)
            let created = Bench.start.milliseconds / 1000 - age * Self.day
            let group = place == 1 ? #""group_start":"g","# : ""
            entries.append(
                #"{"created_at":\#(created),\#(group)"task_persisted_id":"\#(id)","#
                    + #""task_type":"track"}"#)
            try Files.writeAtomically(
                Array(
                    (#"{"data":"e30=","run_results":{"total_runs":\#(place == 0 ? 1 : 0)},"#
                        + #""storage_id":"\#(id)","type":"track"}"#).utf8),
                to: "\(folder)/tasks/\(id).json")
        }
        try Files.writeAtomically(
            Array("[\(entries.joined(separator: ","))]".utf8), to: "\(folder)/inventory.json")
        return folder
    }

    private static func id(_ place: Int) -> String {
        "\(place)143DAD0-E28A-42E6-84B1-D9F6779DCF91"
    }

    private func bench(_ folder: String) -> Bench {
        var bench = Bench()
        bench.environment["SLUICE_STORE"] = folder
        return bench
    }

    @Test("CIO-20 CIO-116 lists say what the app removes at its next start, and a filter finds it")
    func expiring() throws {
        let folder = try folder([4, 5, 2, 3])
        defer { try? Files.removeTree(Files.parent(of: folder)) }
        let bench = bench(folder)
        let list = bench("list --read-only")
        #expect(list.output.contains("1 expires at the app's next start"), "\(list)")
        #expect(bench("queues --read-only").output.contains("1 expires at the app's next start"))
        let found = bench("list --read-only --json --filter state:expiring").json["tasks"]?.array
        #expect(found?.map { $0["reference"]?.string } == [Self.id(0)])
        let others = bench("list --read-only --json --filter -state:expiring").json["tasks"]
        #expect(others?.array?.count == 3)
        bench.clock.withLock { $0 = $0 + 1 }
        let later = bench("list --read-only --json --filter state:expiring").json["tasks"]
        #expect(later?.array?.count == 2)
        #expect(bench("expect state(0143)==expiring").errors.contains("no state \"expiring\""))
    }

    @Test("CIO-116 CIO-118 why and show say that the app tried a task and will remove it")
    func reasons() throws {
        let folder = try folder([4, 5])
        defer { try? Files.removeTree(Files.parent(of: folder)) }
        let bench = bench(folder)
        let tried = "the app attempted it once without success"
        let why = bench("why 0143 --read-only").output
        #expect(why.contains(tried) && why.contains("it expires at the app's next start"), "\(why)")
        let shown = bench("show 0143 --read-only").output
        #expect(shown.contains(tried) && !shown.contains("no attempt yet"), "\(shown)")
        // The start of a group does not expire, and the app has not tried it.
        for command in ["why 1143 --read-only", "show 1143 --read-only"] {
            #expect(!bench(command).output.contains("the app"))
        }
    }

    @Test("nothing in a store of this program's own expires at an app's start")
    func own() {
        let bench = Bench()
        _ = bench("enqueue q t")
        bench.clock.withLock { $0 = $0 + 10 * Self.day * 1000 }
        #expect(bench("list --filter state:expiring").output == "no such tasks\n")
        #expect(!bench("list").output.contains("next start"))
    }

    @Test("P6 an expiry counts from created_at, for what waits and for what comes in")
    func setting() throws {
        let folder = try folder([4, 5, 2])
        defer { try? Files.removeTree(Files.parent(of: folder)) }
        let bench = bench(folder)
        let queue = try #require(bench("queues --json").json["queues"]?[0]?["name"]?.string)
        let set = bench("queue set \(queue) --expires 3d")
        #expect(
            set.output.contains(
                "2 tasks that wait have the new expiry, counted from created_at; "
                    + "1 of them passed already"), "\(set)")
        #expect(!set.output.contains("keep their expiry"))
        #expect(!bench("list").output.contains("next start"))
        func states() -> [String?]? {
            bench("list --json").json["tasks"]?.array?.map { $0["display"]?.string }
        }
        #expect(states()?.first == "failed" || states()?.contains("failed") == true)
        let expiry = bench("show 2143DAD0 --json").json["expiresAt"]?.string
        #expect(
            expiry == TimeText.rfc3339(Bench.start + Self.day * 1000),
            "\(String(describing: expiry))")
        #expect(bench("show 1143DAD0 --json").json["expiresAt"] == .null)
        #expect(bench("undo").exit == .done)
        #expect(bench("show 2143DAD0 --json").json["expiresAt"] == .null)
        #expect(states()?.contains("failed") == false)
    }
}
