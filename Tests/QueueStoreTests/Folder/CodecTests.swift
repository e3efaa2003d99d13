import SluiceModel
import SluiceStore
import SluiceSystem
import Testing

@testable import SluiceFolderStore

@Suite("The format of a Customer.io folder")
struct CodecTests {
    static let entries: [String] = [
        #"{"created_at":1670517033,"task_persisted_id":"3143DAD0","task_type":"identifyProfile"}"#,
        #"{"created_at":5,"group_member":["a\/b","c"],"group_start":"g","task_persisted_id":"x","#
            + #""task_type":"t"}"#,
        #"{"aaa":{"b":1.50,"z":[null,true]},"created_at":-7,"group_member":[],"#
            + #""task_persisted_id":"x","task_type":"\"\\\n\u0001é\#u{7f}","zzz":-0}"#,
    ]

    @Test("P6 an entry is written as it was read, unknown keys in their place", arguments: entries)
    func entry(_ text: String) throws {
        #expect(try InventoryEntry(try JSONValue.parse(text)).text == text)
    }

    static let files: [String] = [
        #"{"data":"eyJhIjoxfQ==","run_results":{"total_runs":1},"storage_id":"x","type":"t"}"#,
        #"{"data":"\/\/+A","run_results":{"a":2,"total_runs":0,"z":3},"storage_id":"x","type":"t","#
            + #""version":2}"#,
        #"{"data":"","run_results":{"total_runs":12},"storage_id":"x","type":"t"}"#,
    ]

    @Test("P6 a task file is written as it was read", arguments: files)
    func file(_ text: String) throws {
        let entry = try Self.entry(id: "x", type: "t")
        let file = try TaskFile(Array(text.utf8), of: entry)
        #expect(file.bytes == Array(text.utf8))
    }

    static func entry(id: String, type: String) throws -> InventoryEntry {
        try InventoryEntry([
            "created_at": 1, "task_persisted_id": .string(id), "task_type": .string(type),
        ])
    }

    @Test(
        "CIO-73 a fraction of a second is read; whole seconds are written",
        arguments: [
            ("1629743524.100", 1_629_743_524_100, "1629743524"), ("1e3", 1_000_000, "1000"),
            ("1670517033.9999", 1_670_517_034_000, "1670517034"), ("-1.5", -1500, "-1"),
        ] as [(String, Int64, String)])
    func fraction(_ written: String, _ milliseconds: Int64, _ again: String) throws {
        let text = #"{"created_at":\#(written),"task_persisted_id":"x","task_type":"t"}"#
        let entry = try InventoryEntry(try JSONValue.parse(text))
        #expect(entry.createdAt.milliseconds == milliseconds)
        #expect(entry.text.contains("\"created_at\":\(again),"))
    }

    @Test("P6 base64 of every length comes back; what would change is refused")
    func base64() {
        for count in 0..<40 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ count) }
            #expect(Base64.decode(Base64.encode(bytes)) == bytes)
        }
        let refused = ["A", "AB", "ABC", "A===", "AB=C", "AB C", "AR==", "ARR=", "A-_A", "AA=A"]
        #expect(refused.map(Base64.decode) == refused.map { _ in nil })
    }

    @Test(
        "CIO-92 a damaged inventory is refused with its place",
        arguments: [
            ("{}", "line 1, offset 0"), ("[1]", "offset 1"), ("", "offset 0"), ("[", "offset 1"),
            ("[{\"created_at\":1,\"task_persisted_id\":\"a\"}]", "no \"task_type\""),
            ("[\n {\"task_type\":\"t\",\"created_at\":1}]", "line 2, element 1 (offset 3)"),
            (
                "[\(entries[0]),\n\(entries[0])]",
                "line 2, element 2 (offset \(entries[0].utf8.count + 3)): "
                    + "it has the id of element 1"
            ),
            ("[{\"task_type\":\"t\",\"task_persisted_id\":\"a\"}]", "no time"),
            (
                "[{\"created_at\":1,\"task_type\":\"t\",\"task_persisted_id\":\"a\","
                    + "\"group_member\":\"g\"}]", "no array of texts"
            ),
            ("[] x", "expected the end"),
        ])
    func damage(_ text: String, _ place: String) {
        do {
            _ = try Inventory(Array(text.utf8))
            Issue.record("it was read")
        } catch {
            #expect(error.message.contains(place), "\(error.message)")
        }
    }

    @Test("P6 new ids are UUIDs in capitals, each another")
    func ids() {
        let ids = (0..<200).map { _ in FolderID.random() }
        #expect(Set(ids).count == ids.count)
        for id in ids {
            let bytes = Array(id.utf8)
            #expect(bytes.count == 36 && id == id.uppercased() && bytes[14] == UInt8(ascii: "4"))
        }
    }

    @Test("P6 the queue is named after its folder, or the parent of \"queue\"")
    func names() {
        let names = ["/a/site/queue", "/a/b", "/queue", "/", "/a/\u{1B}[31m"].map {
            FolderPlace(path: $0).queueName
        }
        #expect(names == ["site", "b", "queue", "queue", "[31m"])
    }

    @Test("P6 G5 a task that comes again before its end has followed keeps its id and its row")
    func comesAgain() throws {
        let now = Timestamp(milliseconds: 5)
        let projection = Projection(
            place: FolderPlace(path: "/nowhere/q"), queue: "q", now: now, makeID: { "other" })
        let ledger = MemoryLedger()
        ledger.put(
            FolderRow(
                task: 1, id: "3143DAD0", entry: Self.entries[0], position: 1024, file: "{}",
                runs: 0, isListed: true, isWanted: false, due: [.inventory, .removal, .end]))
        let task = QueueTask(
            id: 1, queue: "q", type: "identifyProfile", position: 1024, createdAt: now)
        try MemoryStore().writeBlocking { writer in
            try writer.put(QueueRecord(name: "q", createdAt: now))
            try writer.insert([NewTask(task: task, payload: [])])
            try projection.record([1], in: writer, ledger)
        }
        let row = try #require(ledger.row(of: 1))
        #expect(row.id == "3143DAD0" && row.due == [.inventory, .file] && row.isWanted)
    }

    @Test("P6 the SDK's own folder is written byte for byte as it was read")
    func realFolder() throws {
        let path = RealFolder.path
        let bytes = try Files.read("\(path)/inventory.json", limitBytes: 1 << 20)
        let inventory = try Inventory(bytes)
        #expect(inventory.entries.count == 11)
        #expect(Inventory.bytes(ofEntries: inventory.entries.map(\.text)) == bytes)
        for entry in inventory.entries {
            let file = try Files.read("\(path)/tasks/\(entry.id).json", limitBytes: 1 << 20)
            #expect(try TaskFile(file, of: entry).bytes == file)
        }
    }
}
