import SluiceControl
import SluiceFolderStore
import SluiceModel
import SluiceStore
import SluiceSystem
import Testing

/// Scenarios of the SDK that speak of its files, or of the calls that fill them.
@Suite("Scenarios of a folder")
struct ScenarioTests {
    private func control(_ store: FolderStore) -> Control {
        Control(store: store, person: "ann", now: { at(5) }, chance: { 0.5 })
    }

    @Test("CIO-56 a task that the server refuses for good leaves the folder after one execution")
    func refused() throws {
        let folder = try SDKFolder()
        try folder.add("track")
        let store = try folder.open()
        let runner = try store.attachRunner()
        let claimed = try #require(try store.claim(runner, second: 1))
        try store.settle(claimed, .giveUp(error: "400 bad request"), second: 2)
        folder.model { $0 = [] }
        #expect(try folder.differences() == [])
        #expect(try store.claim(runner, second: 3) == nil)
        let task = try store.readBlocking { try $0.requireTask(1) }
        #expect(task.state.name == .failed && task.executions == 1)
    }

    @Test("CIO-58 a handler that finds nothing to send in a payload ends its task with success")
    func nothingToSend() throws {
        let folder = try SDKFolder()
        let id = try folder.add("registerPushToken", start: "t")
        try folder.add("track", members: ["t"])
        let blank = "{\"profile_identifier\":\" \"}"
        folder.model { $0[0].data = Base64.encode(Array(blank.utf8)) }
        try folder.put(folder.items[0].file, "tasks/\(id).json")
        let store = try folder.open()
        let runner = try store.attachRunner()
        let claimed = try #require(try store.claim(runner, second: 1))
        let payload = try JSONValue.parse(claimed.payload)
        let isBlank = payload["profile_identifier"]?.string?.allSatisfy(\.isWhitespace) ?? false
        try store.settle(claimed, isBlank ? .done : .failed, second: 2)
        try folder.finish(id, isModel: true)
        #expect(try folder.differences() == [])
        #expect(try store.claim(runner, second: 3)?.task.type == "track")
    }

    @Test("CIO-61 a folder is opened a thousand times in a row, from many threads at once")
    func opened() async throws {
        let folder = try ReadingTests.sample()
        try folder.open().change { try $0.openRun("site", limit: nil) }
        let path = folder.path
        let before = try folder.content("inventory.json")
        let counts = try await withThrowingTaskGroup(of: [Int].self) { group in
            for _ in 0..<8 {
                group.addTask {
                    try (0..<125).map { number in
                        let store = try FolderStore.open(path: path, readOnly: number % 5 != 0)
                        defer { store.close() }
                        return try store.waiting().count
                    }
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(counts == Array(repeating: 4, count: 1000))
        #expect(try folder.content("inventory.json") == before)
        #expect(try folder.differences() == [])
    }

    @Test(
        "CIO-68 CIO-71 CIO-72 the folder queue of a site is that site's, with inventory and tasks"
    )
    func paths() throws {
        let folder = try SDKFolder("siteid/queue")
        let store = try folder.open()
        #expect(try store.queueName == "siteid")
        let request = EnqueueRequest(type: "t", payload: Array("{}".utf8))
        try store.change { _ = try $0.enqueue([request], to: "siteid") }
        let id = SDKFolder.id(0xA001)
        let entry =
            "{\"created_at\":1800000000,\"task_persisted_id\":\"\(id)\",\"task_type\":\"t\"}"
        folder.model {
            $0 = [SDKFolder.Item(id: id, entry: entry, data: "e30=", type: "t", runs: 0)]
        }
        #expect(try folder.differences() == [])
        let plain = try SDKFolder("siteid")
        #expect(try plain.open().queueName == "siteid")
        // And a folder created only by us.
        let made = "\(folder.root)/siteid/made"
        let archive = try FolderArchive(path: made)
        let task = try #require(try store.waiting().first)
        try archive.add(task, payload: request.payload, id: id)
        try archive.finish()
        #expect(try Files.list(made) == ["inventory.json", "tasks"])
        #expect(try Files.list("\(made)/tasks") == ["\(id).json"])
        let copy = try SDKFolder(copying: made)
        #expect(copy.text == folder.text && copy.items.map(\.file) == folder.items.map(\.file))
    }

    @Test(
        "CIO-69 CIO-70 a task's bytes are read as they were written, and none where there are none")
    func bytes() throws {
        let folder = try SDKFolder()
        let store = try folder.open()
        let payloads: [[UInt8]] = [
            Array("{\"a/b\":\"\u{e9}\u{1f600}\\n\"}".utf8), [], Array(0...255), [0xff, 0xfe, 0],
        ]
        for payload in payloads {
            let request = EnqueueRequest(type: "t", payload: payload)
            try store.change { _ = try $0.enqueue([request], to: "site") }
        }
        store.close()
        try Files.remove("\(folder.path)/sluice.db")
        try Files.removeTree("\(folder.path)/sluice.db-run")
        let again = try folder.open(readOnly: true)
        let read = try again.readBlocking { reader in
            try (1...4).map { try reader.payload(of: $0) }
        }
        #expect(read == payloads)
        #expect(try again.readBlocking { try $0.payload(of: 9) } == nil)
        let first = try #require(try again.reference(of: 1))
        try Files.remove("\(folder.path)/tasks/\(first).json")
        let task = try #require(try folder.open(readOnly: true).waiting().first)
        #expect(task.waiting?.parking?.cause == .missing)
    }

    @Test("CIO-99 CIO-104 CIO-107 a task is one file whose payload comes and goes byte for byte")
    func payload() throws {
        let folder = try SDKFolder()
        let store = try folder.open()
        let runner = try store.attachRunner()
        let attributes =
            "{\"camelCase\":1,\"UPPER\":{\"snake_case\":[null,2.50,\"a\\/b\"]},\"data\":{},"
            + "\"attributes_json_string\":\"{\\\"First Name\\\":\\\"\\\\u00e9\\\"}\"}"
        let request = EnqueueRequest(type: "identifyProfile", payload: Array(attributes.utf8))
        try store.change { _ = try $0.enqueue([request], to: "site") }
        #expect(try Files.list("\(folder.path)/tasks").count == 1)
        let copy = try SDKFolder(copying: folder.path)
        #expect(copy.items.map(\.data) == [Base64.encode(Array(attributes.utf8))])
        let claimed = try #require(try store.claim(runner, second: 1))
        #expect(claimed.payload == Array(attributes.utf8))
    }

    @Test("CIO-100 CIO-103 a task that is refused leaves nothing in the folder")
    func nothingQueued() throws {
        let folder = try ReadingTests.sample()
        let store = try folder.open()
        for type in ["", "\u{1}"] {
            let requests = [EnqueueRequest(type: "fine"), EnqueueRequest(type: type)]
            let error = #expect(throws: QueueError.self) {
                try control(store).performBlocking(.enqueue(queue: "site", requests))
            }
            #expect(error?.code == .badName)
        }
        #expect(try folder.differences() == [])
        #expect(try store.waiting().count == 4)
    }

    @Test(
        "CIO-101 CIO-102 what is to stand there once has a unique key: the same again adds nothing")
    func once() throws {
        let folder = try SDKFolder()
        let store = try folder.open()
        func ask(_ key: String) throws {
            var request = EnqueueRequest(type: "deletePushToken")
            request.uniqueKey = key
            try control(store).performBlocking(.enqueue(queue: "site", [request]))
        }
        for key in ["token 1", "token 1", "token 2", "token 1"] { try ask(key) }
        #expect(try store.waiting().map(\.uniqueKey) == ["token 1", "token 2"])
        #expect(try SDKFolder(copying: folder.path).items.count == 2)
    }

    private static let (profile, token) = ("identified_profile_1", "registered_push_tokenabc")
    private static var deletion: EnqueueRequest {
        var deletion = EnqueueRequest(type: "deletePushToken")
        deletion.groupMembers = [token, profile]
        return deletion
    }

    @Test("CIO-105 CIO-106 a token's registration is a start and a member; its deletion follows it")
    func registration() throws {
        let folder = try SDKFolder()
        let store = try folder.open()
        var identify = EnqueueRequest(type: "identifyProfile")
        identify.groupStart = Self.profile
        var register = EnqueueRequest(type: "registerPushToken")
        (register.groupStart, register.groupMembers) = (Self.token, [Self.profile])
        let all = [identify, register, Self.deletion]
        try store.change { _ = try $0.enqueue(all, to: "site") }
        let groups = [
            "\"group_start\":\"\(Self.profile)\"",
            "\"group_member\":[\"\(Self.profile)\"],\"group_start\":\"\(Self.token)\"",
            "\"group_member\":[\"\(Self.token)\",\"\(Self.profile)\"]",
        ]
        let entries = zip(all, groups).enumerated().map { index, pair in
            "{\"created_at\":1800000000,\(pair.1),"
                + "\"task_persisted_id\":\"\(SDKFolder.id(0xA001 + index))\","
                + "\"task_type\":\"\(pair.0.type)\"}"
        }
        #expect(try SDKFolder(copying: folder.path).items.map(\.entry) == entries)
        #expect(try store.waiting().map(\.isHeld) == [false, true, true])
        let runner = try store.attachRunner()
        let types = try [HandlerOutcome.done, .failed, .done, .done].enumerated().map {
            let claimed = try #require(try store.claim(runner, second: Int64($0) + 1))
            try store.settle(claimed, $1, second: Int64($0) + 1)
            return claimed.task.type
        }
        let (first, second) = ("identifyProfile", "registerPushToken")
        #expect(types == [first, second, second, "deletePushToken"])
        #expect(try folder.content("inventory.json") == "[]")
    }

    @Test(
        "CIO-106 a token's deletion waits for the start of either of its groups",
        arguments: [profile, token])
    func deletion(_ group: String) throws {
        let folder = try SDKFolder()
        try folder.add("start", start: group)
        let store = try folder.open()
        try store.change { _ = try $0.enqueue([Self.deletion], to: "site") }
        let runner = try store.attachRunner()
        for outcome in [HandlerOutcome.failed, .done] {
            #expect(try store.waiting().map(\.isHeld) == [false, true])
            let start = try #require(try store.claim(runner, second: 1))
            #expect(start.task.type == "start")
            try store.settle(start, outcome, second: 2)
        }
        #expect(try store.claim(runner, second: 3)?.task.type == "deletePushToken")
    }
}
