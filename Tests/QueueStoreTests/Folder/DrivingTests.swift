import SluiceControl
import SluiceFolderStore
import SluiceModel
import SluiceStore
import SluiceSystem
import Testing

@Suite("Driving a folder")
struct DrivingTests {
    @Test("CIO-59 a queue is stepped to [] as the SDK would leave it at each step; one start fails")
    func toTheEnd() throws {
        let folder = try SDKFolder()
        let start = try folder.add("identify", start: "u1")
        try folder.add("track", members: ["u1"], runs: 2)
        try folder.add("push", start: "p1", members: ["u1"])
        try folder.add("metric")
        let order = try Self.drive(folder, failingOnce: start)
        #expect(order == ["identify", "metric", "identify", "track", "push"])
    }

    @Test("CIO-59 the SDK's own folder is stepped to []")
    func realFolder() throws {
        let folder = try SDKFolder(copying: RealFolder.path)
        #expect(folder.items.count == 11)
        let push = try #require(folder.items.first { $0.type == "registerPushToken" })
        let order = try Self.drive(folder, failingOnce: push.id)
        #expect(order.count == 12 && order.last == "registerPushToken")
    }

    /// Runs all tasks with one failure, and compares the folder with the SDK's at each step.
    /// Returns the types in order of execution.
    static func drive(_ folder: SDKFolder, failingOnce failing: String) throws -> [String] {
        let store = try folder.open()
        let runner = try store.attachRunner()
        var order: [String] = []
        var hasFailed = false
        for second in Int64(1)...100 {
            guard let claimed = try store.claim(runner, second: second * 10) else { break }
            #expect(try folder.differences() == [], "claim \(order.count)")
            order.append(claimed.task.type)
            let id = try #require(try store.reference(of: claimed.task.id))
            let fails = id == failing && !hasFailed
            try store.settle(claimed, fails ? .failed : .done, second: second * 10 + 1)
            if fails {
                hasFailed = true
                try folder.fail(id, isModel: true)
            } else {
                try folder.finish(id, isModel: true)
            }
            #expect(try folder.differences() == [], "\(claimed.task.type)")
        }
        #expect(try folder.content("inventory.json") == "[]" && store.exportFailure == nil)
        return order
    }

    @Test("P6 a task of ours gets a UUID in capitals, and its file before its entry")
    func enqueue() throws {
        let folder = try ReadingTests.sample()
        let store = try folder.open()
        var request = EnqueueRequest(type: "a/b", payload: Array("{\"u\":\"http://x\"}".utf8))
        request.groupStart = "p/2"
        request.groupMembers = ["u1"]
        let wanted = request
        let ids = try store.change(5) { try $0.enqueue([wanted], to: "site").ids }
        #expect(ids == [5])
        let id = SDKFolder.id(0xA001)
        #expect(try store.reference(of: 5) == id)
        folder.model { items in
            let entry =
                "{\"created_at\":1800000005,\"group_member\":[\"u1\"],\"group_start\":\"p\\/2\","
                + "\"task_persisted_id\":\"\(id)\",\"task_type\":\"a\\/b\"}"
            items.append(
                SDKFolder.Item(
                    id: id, entry: entry, data: "eyJ1IjoiaHR0cDovL3gifQ==", type: "a\\/b", runs: 0
                ))
        }
        #expect(try folder.differences() == [])
        let status = try Files.status("\(folder.path)/tasks/\(id).json")
        #expect(status?.mode == 0o600)
        #expect(try Files.status("\(folder.path)/sluice.db")?.mode == 0o600)
        #expect(try Files.status("\(folder.path)/inventory.json")?.mode == 0o644)
    }

    @Test("B11 D8 P6 an edit holds a task of a folder too, and what the SDK does to it ends that")
    func edits() throws {
        let folder = try ReadingTests.sample()
        let store = try folder.open()
        let (editor, life) = try store.attachForReal()
        defer { withExtendedLifetime(life) {} }
        func begin(_ store: FolderStore) throws -> QueueTask {
            try store.change { mutation in
                let task = try mutation.store.requireTask(1)
                try mutation.beginEdit(task, by: "ann", owner: editor, instant: 0)
                return task
            }
        }
        let shown = try begin(store)
        #expect(try folder.differences() == [])
        #expect(try store.claim(try store.attachRunner(), second: 1)?.task.id == 3)
        try store.change { try $0.endEdit(of: editor) }
        #expect(try store.waiting()[0] == shown)
        _ = try begin(store)
        let file = "tasks/\(folder.items[0].id).json"
        folder.model { $0[0].data = "e30=" }
        try Files.remove("\(folder.path)/\(file)")
        try folder.put(folder.items[0].file, file)
        let second = try folder.open()
        let after = try second.waiting()[0]
        #expect(after.version > shown.version && after.waiting?.parking == nil)
        _ = try begin(second)
        try Files.remove("\(folder.path)/\(file)")
        let third = try folder.open()
        try third.change { try $0.endEdit(of: editor) }
        #expect(try third.waiting()[0].waiting?.parking?.cause == .missing)
    }

    @Test("P6 only waiting and running tasks stand in the inventory, in the order of their places")
    func verbs() throws {
        let folder = try ReadingTests.sample()
        let store = try folder.open()
        let all = folder.items
        try store.change { mutation in
            let task = try mutation.store.requireTask(3)
            try mutation.apply(.delete(Deletion(by: "ann")), to: task)
        }
        folder.model { $0.remove(at: 2) }
        #expect(try folder.differences() == [])
        try store.change { mutation in
            try mutation.apply(.undelete, to: try mutation.store.requireTask(3))
        }
        folder.model { $0.insert(all[2], at: 2) }
        #expect(try folder.differences() == [])
        try store.change { mutation in
            try mutation.apply(.move(position: 1), to: try mutation.store.requireTask(4))
        }
        folder.model { $0 = [all[3], all[0], all[1], all[2]] }
        #expect(try folder.differences() == [])
        try store.change { mutation in
            try mutation.apply(.skip(skip), to: try mutation.store.requireTask(1))
            try mutation.apply(.giveUp(reason: "no"), to: try mutation.store.requireTask(2))
        }
        folder.model { $0.remove(at: 2) }
        #expect(try folder.differences() == [])
        #expect(try store.reference(of: 2) == all[1].id)
        try store.writeBlocking { try $0.setPayload(Array("{}".utf8), of: 1) }
        folder.model { $0[1].data = "e30=" }
        #expect(try folder.differences() == [])
        try store.writeBlocking { try $0.remove([2]) }
        // Its name outlives it, for the journal mentions it.
        #expect(try store.reference(of: 2) == all[1].id)
        #expect(throws: QueueError.self) { try store.task(matching: .uuid(all[1].id)) }
        try store.writeBlocking { try $0.removeQueue(named: "site") }
        folder.model { $0 = [] }
        #expect(try folder.differences() == [])
        try folder.add("back")
        #expect(try folder.open().waiting().map(\.type) == ["back"])
    }

    @Test("D10 P6 a filter names tasks of a folder by their UUIDs or beginnings of them")
    func filters() throws {
        let folder = try ReadingTests.sample()
        func ids(_ store: any QueueStore, _ text: String) throws -> [TaskID] {
            let filter = try TaskFilter(text)
            return try store.readBlocking { reader in
                let reading = try Reading(reader, now: at(1))
                return try reading.targets(
                    in: reader.queues(), sections: [.waiting, .failed], matching: filter
                ).map(\.id)
            }
        }
        let store = try folder.open()
        for round in 0..<2 {
            #expect(try ids(store, "id:\(SDKFolder.id(3))") == [3])
            #expect(try ids(store, "id:00000002,00000004-aaaa") == [2, 4])
            #expect(try ids(store, "id:0000") == [1, 2, 3, 4])
            #expect(try ids(store, "-id:00000001 type:track") == [2, 4])
            #expect(try ids(store, "id:2,00000003 type:push") == [3])
            #expect(try ids(store, "id:FFFF") == [])
            if round == 0 { try store.change { try $0.openRun("site", limit: nil) } }
        }
        let memory = MemoryStore()
        #expect(try ids(memory, "id:0001") == [])
        let error = #expect(throws: QueueError.self) { try ids(memory, "id:ABCD") }
        #expect(error?.code == .badFilter)
    }

    private var skip: Skip { Skip(by: "ann", since: at(0), until: nil, endsWithRun: true) }

    @Test("P6 unknown keys of entries and files are kept and written back in their places")
    func unknownKeys() throws {
        let folder = try SDKFolder()
        let id = try folder.add("track")
        try folder.add("other")
        folder.model { items in
            items[0].entry =
                "{\"a\":[1,{\"b\":null}],\"created_at\":1670517033,\"task_persisted_id\":\"\(id)\","
                + "\"task_type\":\"track\",\"zz\":\"\\/\"}"
        }
        let file =
            "{\"data\":\"eyJuIjoxfQ==\",\"extra\":1,"
            + "\"run_results\":{\"last\":2.50,\"total_runs\":1},"
            + "\"storage_id\":\"\(id)\",\"type\":\"track\",\"version\":\"2\"}"
        try folder.put(file.replacing("_runs\":1", with: "_runs\":0"), "tasks/\(id).json")
        try folder.put(folder.text, "inventory.json")
        let store = try folder.open()
        let runner = try store.attachRunner()
        let claimed = try #require(try store.claim(runner, second: 1))
        try store.settle(claimed, .failed, second: 2)
        #expect(try folder.content("tasks/\(id).json") == file)
        let second = folder.items[1].id
        let other = try #require(try store.claim(runner, second: 3))
        try store.settle(other, .done, second: 4)
        try folder.finish(second, isModel: true)
        #expect(try folder.content("inventory.json") == folder.text)
    }

    @Test("P6 what a write that throws has noted does not follow")
    func rollback() throws {
        struct Refused: Error {}
        let folder = try ReadingTests.sample()
        let store = try folder.open()
        #expect(throws: Refused.self) {
            try store.change { mutation in
                try mutation.apply(
                    .delete(Deletion(by: "ann")), to: try mutation.store.requireTask(1))
                throw Refused()
            }
        }
        #expect(try folder.differences() == [])
        #expect(try store.waiting().count == 4)
    }

    @Test("P1 writers from many threads share the folder and each is told of its own")
    func concurrent() async throws {
        let folder = try SDKFolder()
        let store = try folder.open()
        let ids = try await withThrowingTaskGroup(of: [TaskID].self) { group in
            for number in 0..<20 {
                group.addTask {
                    try await store.transact(at: at(0)) { mutation in
                        let request = EnqueueRequest(type: "t\(number)")
                        let ids = try mutation.enqueue([request], to: "site").ids
                        return ids
                    }
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(ids.sorted() == Array(1...20))
        #expect(try Files.list("\(folder.path)/tasks").count == 20)
        let again = try SDKFolder(copying: folder.path)
        #expect(try again.open().waiting().map(\.type) == store.waiting().map(\.type))
    }

    @Test("A body that asks its folder for another write is refused and nothing hangs")
    func reentered() throws {
        let folder = try ReadingTests.sample()
        let store = try folder.open()
        let error = #expect(throws: QueueError.self) {
            try store.writeBlocking { _ in try store.writeBlocking { _ in } }
        }
        #expect(error?.code == .notLegal)
        store.close()
        let closed = #expect(throws: QueueError.self) { try store.waiting() }
        #expect(closed?.code == .noStore)
    }
}
