import SluiceFolderStore
import SluiceModel
import SluiceStore
import SluiceSystem
import Testing

@Suite("Reading a folder")
struct ReadingTests {
    @Test("P6 reading alone changes no byte and makes no file", arguments: [false, true])
    func untouched(readOnly: Bool) async throws {
        let folder = try Self.sample()
        let before = try folder.picture()
        let store = try folder.open(readOnly: readOnly)
        #expect(store.kind == "customer.io folder" && store.isReadOnly == readOnly)
        #expect(try store.queueName == "site")
        let tasks = try store.waiting()
        #expect(tasks.map(\.id) == [1, 2, 3, 4])
        #expect(tasks.map(\.type) == ["identify", "track", "push", "track"])
        #expect(tasks.map(\.attempts) == [2, 0, 0, 1])
        #expect(tasks.map(\.executions) == [2, 0, 0, 1])
        #expect(tasks.map(\.isHeld) == [false, true, false, true])
        #expect(tasks[0].groupStart == "u1" && tasks[1].groupMembers == ["u1", "x"])
        #expect(tasks[1].createdAt == Timestamp(milliseconds: 1_670_517_034_000))
        let payload = try await store.read { try $0.payload(of: 1) }
        #expect(payload == Array("{\"n\":1}".utf8))
        let observation = try store.observe {}
        #expect(try store.reference(of: 2) == SDKFolder.id(2))
        store.close()
        withExtendedLifetime(observation) {}
        #expect(try folder.picture() == before)
    }

    /// A start with a member before and one after another start.
    static func sample() throws -> SDKFolder {
        let folder = try SDKFolder()
        try folder.add("identify", start: "u1", runs: 2)
        try folder.add("track", members: ["u1", "x"])
        try folder.add("push", start: "p1")
        try folder.add("track", members: ["p1", "u1"], runs: 1)
        return folder
    }

    @Test("Q11 the queue is worked as the SDK works it, and nothing expires")
    func settings() throws {
        let folder = try Self.sample()
        let store = try folder.open()
        let queue = try store.readBlocking { try $0.requireQueue("site") }
        var preset = QueueSettings.preset(named: "customer-io")
        preset?.expiresAfterMilliseconds = nil
        #expect(queue.settings.summary.text.hasPrefix("attributes_json_string.name,"))
        preset?.summary = queue.settings.summary
        #expect(queue.settings == preset)
        let facts = try store.readBlocking { try $0.batchFacts(queue, now: at(0)) }
        #expect(facts.freshCount == 4 && facts.firstFresh == at(0))
        #expect(try store.waiting().allSatisfy { $0.expiresAt == nil })
    }

    @Test("D11 a folder open for reading refuses a change at once")
    func readOnly() throws {
        let folder = try Self.sample()
        let before = try folder.picture()
        let store = try folder.open(readOnly: true)
        let error = #expect(throws: QueueError.self) {
            try store.change { try $0.openRun("site", limit: nil) }
        }
        #expect(error?.code == .readOnly)
        #expect(try folder.picture() == before)
    }

    @Test("P6 what an app does meanwhile is seen, before the first change and after it")
    func live() throws {
        let folder = try Self.sample()
        let early = try folder.open(readOnly: true)
        try Self.follow(early, folder, from: 5)
        let writer = try folder.open()
        let last = try #require(try writer.waiting().last)
        try writer.change { try $0.apply(.edit([.label("kept")]), to: last) }
        writer.close()
        let late = try folder.open(readOnly: true)
        let named = try late.waiting().map(\.label)
        #expect(named == [nil, nil, nil, "kept"])
        try Self.follow(late, folder, from: 6)
        #expect(try late.waiting().contains { $0.label == "kept" })
        #expect(try late.waiting().count == early.waiting().count)
    }

    private static func follow(_ store: FolderStore, _ folder: SDKFolder, from: Int) throws {
        let before = try store.waiting()
        let added = try folder.add("new \(from)", runs: 3)
        let after = try store.waiting()
        #expect(after.map(\.id).dropLast() == before.map(\.id)[...])
        #expect(after.last?.type == "new \(from)" && after.last?.attempts == 3)
        #expect(try store.reference(of: after.last?.id ?? 0) == added)
        let second = folder.items[1]
        try folder.fail(second.id)
        #expect(try store.waiting()[1].attempts == second.runs + 1)
        try folder.finish(folder.items[0].id)
        try folder.add("more")
        #expect(try store.waiting().count == before.count + 1)
        try folder.finish(try #require(folder.items.last).id)
        #expect(try store.waiting().map(\.id) == after.map(\.id).dropFirst()[...].map { $0 })
    }

    @Test("P6 a task is named by its number, its id, or the beginning of that")
    func naming() throws {
        let folder = try Self.sample()
        let store = try folder.open()
        func find(_ text: String) throws -> TaskID {
            try store.task(matching: try TaskReference(text))
        }
        #expect(try find(SDKFolder.id(3)) == 3)
        #expect(try find("00000002") == 2)
        #expect(try find("00000002-aaaa") == 2)
        #expect(try find("#4") == 4)
        #expect(try find("4") == 4)
        let codes = ["0000", "FFFF", "#9"].map { text -> QueueError.Code? in
            do {
                _ = try find(text)
                return nil
            } catch {
                return (error as? QueueError)?.code
            }
        }
        #expect(codes == [.ambiguousTask, .unknownTask, .unknownTask])
        try store.change { try $0.openRun("site", limit: nil) }
        #expect(try find("00000002") == 2)
        #expect(try store.reference(of: 2) == SDKFolder.id(2))
    }

    @Test("P6 changes of the folder and commits are told to who watches")
    func watching() throws {
        let folder = try Self.sample()
        let store = try folder.open()
        let signal = try EventSignal()
        let observation = try store.observe { signal.signal() }
        func isNotified() throws -> Bool {
            let found = try Poll.wait(
                fds: [PollInterest(signal.descriptor.number)], timeoutMilliseconds: 5000)
            signal.drain()
            return !found.isEmpty
        }
        try folder.add("new")
        #expect(try isNotified())
        try folder.fail(SDKFolder.id(1))
        #expect(try isNotified())
        let other = try folder.open()
        try other.change { try $0.openRun("site", limit: nil) }
        #expect(try isNotified())
        try other.change { try $0.endRun("site") }
        #expect(try isNotified())
        withExtendedLifetime(observation) {}
    }
}
