import SluiceModel
import SluiceStore
import SluiceSystem
import Testing

@testable import SluiceFolderStore

/// A folder as the SDK for Android writes it, without the codec under test.
private final class AndroidFolder {
    struct Item {
        var id: String
        var entry: String
        var data: String
        var type: String
        var runs = 0

        var file: String {
            #"{"storageId":"\#(id)","type":"\#(type)","data":"\#(data)","#
                + #""runResults":{"totalRuns":\#(runs)}}"#
        }
    }

    let root: String
    var path: String { "\(root)/files/io.customer/site/queue" }
    var items: [Item]

    init(_ items: [Item] = []) throws {
        root = try Files.makeTemporaryDirectory(prefix: "folder-test-")
        self.items = items
        try Files.makeDirectory("\(path)/tasks", withParents: true)
        for item in items { try put(item.file, "tasks/\(item.id).json") }
        try put(inventory, "inventory.json")
    }

    deinit { try? Files.removeTree(root) }

    var inventory: String { "[" + items.map(\.entry).joined(separator: ",") + "]" }

    func put(_ text: String, _ name: String) throws {
        try Files.writeAtomically(Array(text.utf8), to: "\(path)/\(name)", mode: 0o644)
    }

    func content(_ name: String) throws -> String {
        String(decoding: try Files.read("\(path)/\(name)", limitBytes: 1 << 20), as: UTF8.self)
    }

    /// The differences of the folder from what the SDK would have written.
    func differences() throws -> [String] {
        var found: [String] = []
        let text = try content("inventory.json")
        if text != inventory { found.append("inventory.json: \(text)") }
        let names = try Files.list("\(path)/tasks").sorted()
        if names != items.map({ "\($0.id).json" }).sorted() { found.append("\(names)") }
        for item in items where names.contains("\(item.id).json") {
            let file = try content("tasks/\(item.id).json")
            if file != item.file { found.append(file) }
        }
        return found
    }

    func open() throws -> FolderStore {
        var options = FolderOptions()
        options.clock = { at(0) }
        options.makeID = { SDKFolder.id(0xA001) }
        return try FolderStore.open(path: path, options: options)
    }
}

@Suite("The format of a folder of the SDK for Android")
struct AndroidTests {
    private static let identify = "6f2b5c0e-8a51-4b0e-9d7f-0c1b2a3d4e5f"
    private static let track = "0d9c8b7a-1e2f-4a3b-8c4d-5e6f7a8b9c0d"

    private static func items() -> [AndroidFolder.Item] {
        [
            AndroidFolder.Item(
                id: identify,
                entry: #"{"taskPersistedId":"\#(identify)","taskType":"IdentifyProfile","#
                    + #""groupStart":"identified_profile_148","createdAt":1644600699}"#,
                data: #"{\"identifier\":\"148\",\"attributes\":{\"url\":\"https://x/é\"}}"#,
                type: "IdentifyProfile"),
            AndroidFolder.Item(
                id: track,
                entry: #"{"taskPersistedId":"\#(track)","taskType":"TrackEvent","#
                    + #""groupMember":["identified_profile_148","registered_push_token_ABC"],"#
                    + #""createdAt":1644600700}"#,
                data: #"{\"identifier\":\"148\",\"event\":{\"name\":\"b\\\"\\u2028\"}}"#,
                type: "TrackEvent", runs: 2),
        ]
    }

    @Test(
        "P6 CIO-112 an entry and a file of Android are written as they were read",
        arguments: [
            #"{"taskPersistedId":"a","taskType":"T","createdAt":5}"#,
            #"{"taskPersistedId":"a","taskType":"T","groupStart":"g/h","groupMember":["x","y"],"#
                + #""createdAt":-5,"zzz":1,"aaa":{"z":1,"b":[null]}}"#,
            #"{"taskPersistedId":"a","taskType":"\u2028\u2029\u0001\n","groupMember":[],"#
                + #""createdAt":5}"#,
        ])
    func entry(_ text: String) throws {
        let entry = try InventoryEntry(try JSONValue.parse(text))
        #expect(entry.text == text && entry.dialect == .android)
        let file =
            #"{"storageId":"a","type":"T","data":"{\"a\":\"/\\u0001\u2028\"}","#
            + #""runResults":{"totalRuns":3,"more":1},"later":true}"#
        let read = try TaskFile(Array(file.utf8), id: "a")
        #expect(read.bytes == Array(file.utf8) && read.runs == 3)
        #expect(read.payload == Array("{\"a\":\"/\\u0001\u{2028}\"}".utf8))
    }

    @Test("P6 CIO-112 a folder of Android is stepped to [] as its SDK would leave it at each step")
    func drive() throws {
        let folder = try AndroidFolder(Self.items())
        let store = try folder.open()
        #expect(try folder.differences() == [])
        #expect(try store.waiting().map(\.type) == ["IdentifyProfile", "TrackEvent"])
        #expect(try store.waiting().map(\.attempts) == [0, 2])
        #expect(try store.waiting()[1].isHeld)
        let runner = try store.attachRunner()
        let first = try #require(try store.claim(runner, second: 10))
        let payload = #"{"identifier":"148","attributes":{"url":"https://x/é"}}"#
        #expect(first.payload == Array(payload.utf8))
        try store.settle(first, .failed, second: 11)
        folder.items[0].runs = 1
        #expect(try folder.differences() == [])
        let again = try #require(try store.claim(runner, second: 20))
        try store.settle(again, .done, second: 21)
        folder.items.removeFirst()
        #expect(try folder.differences() == [])
        let last = try #require(try store.claim(runner, second: 30))
        try store.settle(last, .failed, second: 31)
        folder.items[0].runs = 3
        #expect(try folder.differences() == [] && store.exportFailure == nil)
    }

    @Test("P6 CIO-112 a task of ours is spelt as Android spells it, also in an empty folder")
    func enqueue() throws {
        for items in [Self.items(), []] {
            let folder = try AndroidFolder(items)
            let store = try folder.open()
            var request = EnqueueRequest(type: "TrackEvent", payload: Array(#"{"u":"a/b"}"#.utf8))
            request.groupMembers = ["identified_profile_148"]
            let wanted = request
            try store.change(5) { _ = try $0.enqueue([wanted], to: "site") }
            let id = SDKFolder.id(0xA001).lowercased()
            folder.items.append(
                AndroidFolder.Item(
                    id: id,
                    entry: #"{"taskPersistedId":"\#(id)","taskType":"TrackEvent","#
                        + #""groupMember":["identified_profile_148"],"createdAt":1800000005}"#,
                    data: #"{\"u\":\"a/b\"}"#, type: "TrackEvent"))
            #expect(try folder.differences() == [])
            let binary = EnqueueRequest(type: "TrackEvent", payload: [0xFF])
            #expect(throws: QueueError.self) {
                try store.change(6) { _ = try $0.enqueue([binary], to: "site") }
            }
            #expect(try folder.differences() == [])
        }
    }

    @Test("P6 CIO-112 two spellings in one folder are refused with the place, and nothing changes")
    func mixed() throws {
        let folder = try AndroidFolder(Self.items())
        let ios = #"{"created_at":1,"task_persisted_id":"x","task_type":"t"}"#
        let text = folder.inventory.dropLast() + ",\(ios)]"
        try folder.put(String(text), "inventory.json")
        let error = #expect(throws: QueueError.self) { try folder.open() }
        #expect(error?.code == .damagedStore)
        #expect(error?.message.contains("element 3") ?? false, "\(error?.message ?? "")")
        #expect(error?.message.contains("keys of the SDK for iOS") ?? false)
        #expect(try folder.content("inventory.json") == text)
        let within = #"[{"created_at":1,"taskPersistedId":"x","task_type":"t"}]"#
        try folder.put(within, "inventory.json")
        let inside = #expect(throws: QueueError.self) { try folder.open() }
        #expect(
            inside?.message.contains(
                #"it mixes keys of two SDKs: "task_type" and "taskPersistedId""#) ?? false)
        #expect(try folder.content("inventory.json") == within)
        try folder.put(folder.inventory, "inventory.json")
        let store = try folder.open()
        try store.change(1) { try $0.openRun("site", limit: nil) }
        try folder.put("[\(ios)]", "inventory.json")
        let later = #expect(throws: QueueError.self) { _ = try folder.open() }
        #expect(later?.message.contains("keys of the SDK for iOS") ?? false)
        #expect(try folder.content("inventory.json") == "[\(ios)]")
    }
}
