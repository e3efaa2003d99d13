import SluiceControl
import SluiceFolderStore
import SluiceModel
import SluiceStore
import SluiceSystem
import Testing

@Suite("Many tasks of a folder")
struct BulkTests {
    /// The tasks in the inventory, and the tasks with a file.
    private func listed(_ folder: SDKFolder) throws -> (entries: [String], files: [String]) {
        let inventory = try JSONValue.parse(try folder.content("inventory.json"))
        let entries = (inventory.array ?? []).compactMap { $0["task_persisted_id"]?.string }
        let files = try Files.list("\(folder.path)/tasks").map { String($0.dropLast(5)) }
        return (entries, files.sorted())
    }

    @Test("D10 P6 a bulk goes in slices; after a stop and after the undo the files say the same")
    func slices() throws {
        let folder = try SDKFolder()
        try folder.add("first")
        let store = try folder.open()
        let name = try store.queueName
        let request = EnqueueRequest(type: "t", payload: Array("{}".utf8))
        try store.change {
            _ = try $0.enqueue(Array(repeating: request, count: 1199), to: name)
        }
        let before = try listed(folder)
        #expect(before.entries.count == 1200 && before.files.count == 1200)
        let control = Control(store: store, person: "ann", now: { at(5) }, chance: { 0.5 })
        let query = TaskQuery(queue: name, state: .waiting, limit: 2000)
        let targets = try store.readBlocking {
            try $0.tasks(matching: query).map { TaskTarget($0) }
        }
        let delete = Verb.delete(targets, cancelsRunning: false, members: nil)
        let answer = try control.performBlocking(delete) { $0.done == 1000 ? .stop : .goOn }
        #expect(answer.changed.count == 1000 && answer.stop?.left.count == 200)
        let stopped = try listed(folder)
        #expect(stopped.entries == Array(before.entries.suffix(200)))
        #expect(stopped.files == stopped.entries.sorted())
        let rest = try control.performBlocking(
            .delete(answer.stop?.left ?? [], cancelsRunning: false, members: nil))
        #expect(rest.changed.count == 200)
        #expect(try folder.content("inventory.json") == "[]")
        for _ in 0..<2 { try control.performBlocking(.undo(event: nil)) }
        let after = try listed(folder)
        #expect(after.entries == before.entries && after.files == before.files)
        #expect(store.exportFailure == nil)
    }

    @Test("D9 P6 a bulk of a folder is undone as one")
    func undo() throws {
        let folder = try SDKFolder()
        try folder.add("first")
        let store = try folder.open()
        let name = try store.queueName
        try store.change {
            _ = try $0.enqueue(Array(repeating: EnqueueRequest(type: "t"), count: 1100), to: name)
        }
        let control = Control(store: store, person: "ann", now: { at(5) }, chance: { 0.5 })
        let query = TaskQuery(queue: name, state: .waiting, limit: 2000)
        let targets = try store.readBlocking {
            try $0.tasks(matching: query).map { TaskTarget($0) }
        }
        let before = try listed(folder)
        try control.performBlocking(.delete(targets, cancelsRunning: false, members: nil))
        #expect(try folder.content("inventory.json") == "[]")
        let undone = try control.performBlocking(.undo(event: nil))
        #expect(undone.changed.count == 1101 && undone.failed == [])
        let after = try listed(folder)
        #expect(after.entries == before.entries && after.files == before.files)
    }
}
