import SluiceControl
import SluiceModel
import SluiceStore
import SluiceSystem
import Testing

@testable import SluiceCommand

@Suite("JSON in the texts of a folder's payloads")
struct FolderPayloadTests {
    private static let event = "payload.attributes_json_string.name"

    /// A folder with one event for each name. Its attributes are JSON in a string.
    private func folder(_ names: [String]) throws -> String {
        let folder = try Files.makeTemporaryDirectory(prefix: "texts-") + "/queue"
        try Files.makeDirectory("\(folder)/tasks", withParents: true)
        var entries: [String] = []
        for (place, name) in names.enumerated() {
            let id = "\(place)143DAD0-E28A-42E6-84B1-D9F6779DCF91"
            entries.append(
                #"{"created_at":1799999999,"task_persisted_id":"\#(id)","#
                    + #""task_type":"trackEvent"}"#)
            let attributes: JSONValue = [
                "data": ["secret": .string("s-\(name)")], "name": .string(name),
            ]
            let payload: JSONValue = [
                "attributes_json_string": .string(attributes.text), "identifier": "ann@example.com",
            ]
            try Files.writeAtomically(
                Array(
                    (#"{"data":"\#(Base64.encode(payload.bytes))","run_results":{"total_runs":0},"#
                        + #""storage_id":"\#(id)","type":"trackEvent"}"#).utf8),
                to: "\(folder)/tasks/\(id).json")
        }
        try Files.writeAtomically(
            Array("[\(entries.joined(separator: ","))]".utf8), to: "\(folder)/inventory.json")
        return folder
    }

    private func bench(_ folder: String) -> Bench {
        var bench = Bench()
        bench.environment["SLUICE_STORE"] = folder
        return bench
    }

    @Test("CIO-117 a path reads the attributes in lists, breakpoints, faults and expectations")
    func paths() throws {
        let folder = try folder(["Dashboard", "HabitDetail", "Dashboard"])
        defer { try? Files.removeTree(Files.parent(of: folder)) }
        let bench = bench(folder)
        func count(_ filter: String) -> Int? {
            bench("list --read-only --json --filter \(filter)").json["tasks"]?.array?.count
        }
        #expect(count("\(Self.event)=Dashboard") == 2)
        #expect(count("\(Self.event)~^Habit") == 1)
        #expect(count("\(Self.event).more") == 0)
        let fields = bench("list --read-only --json --fields \(Self.event)").json["tasks"]
        #expect(fields?[1]?[Self.event] == "HabitDetail")
        let columns = bench("list --read-only --columns id,\(Self.event)").output
        #expect(columns.contains("1143DAD0  HabitDetail"))
        #expect(bench("break \(Self.event)=HabitDetail").exit == .done)
        #expect(bench("break list").output.contains(Self.event))
        #expect(bench("fault \(Self.event)=HabitDetail fail").exit == .done)
        let expected = bench("expect count(\(Self.event)=Dashboard)==2")
        #expect(expected.exit == .done, "\(expected)")
    }

    @Test("CIO-117 the tasks of one profile differ in what they are about")
    func summary() throws {
        let folder = try folder(["Dashboard", "HabitDetail", "habit_enabled"])
        defer { try? Files.removeTree(Files.parent(of: folder)) }
        let store = try StorePlace(folder).open(StoreAccess(isReadOnly: true)) { Bench.start }
        let about = try store.readBlocking { reader in
            let tasks = try reader.tasks([1, 2, 3])
            return try Reading(reader, now: Bench.start).about(tasks)
        }
        store.close()
        #expect(
            about == [
                1: "Dashboard · ann@example.com", 2: "HabitDetail · ann@example.com",
                3: "habit_enabled · ann@example.com",
            ])
    }

    @Test("CIO-117 a list says what each task is about")
    func listed() throws {
        let folder = try folder(["Dashboard", "HabitDetail"])
        defer { try? Files.removeTree(Files.parent(of: folder)) }
        let bench = bench(folder)
        let list = bench("list --read-only").output.split(separator: "\n")
        #expect(list[0].hasSuffix("ABOUT"))
        #expect(list[1].hasSuffix("Dashboard · ann@example.com"))
        #expect(list[2].hasSuffix("HabitDetail · ann@example.com"))
    }

    @Test("CIO-117 show and report set out the JSON of a text, and a redaction reaches into it")
    func unfolded() throws {
        let folder = try folder(["Dashboard"])
        defer { try? Files.removeTree(Files.parent(of: folder)) }
        let bench = bench(folder)
        let lines = [
            #""attributes_json_string": JSON in a text"#, #""secret": "s-Dashboard""#,
            #""name": "Dashboard""#,
        ]
        for command in ["show 0143DAD0 --read-only", "report 0143DAD0 --read-only"] {
            let output = bench(command).output
            for line in lines { #expect(output.contains(line), "\(command): \(output)") }
        }
        let path = "attributes_json_string.data.secret"
        let report = bench("report 0143DAD0 --read-only --redact \(path)").output
        #expect(report.contains(#""secret": "[redacted]""#), "\(report)")
        #expect(!report.contains("s-Dashboard") && report.contains("Dashboard"))
        // The JSON for scripts is as it was.
        let text = bench("show 0143DAD0 --read-only --json").json["payload"]
        #expect(text?["attributes_json_string"]?.string?.hasPrefix("{") == true)
    }
}
