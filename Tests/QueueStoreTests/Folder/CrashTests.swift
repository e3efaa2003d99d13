import SluiceFolderStore
import SluiceModel
import SluiceStore
import SluiceSystem
import Testing

@Suite("A folder after a crash")
struct CrashTests {
    /// A change whose export has many steps: two tasks go, one moves, one has run, two come.
    private static func changeMuch(_ store: FolderStore) throws {
        try store.change(1) { mutation in
            func task(_ id: TaskID) throws -> QueueTask { try mutation.store.requireTask(id) }
            try mutation.apply(.delete(Deletion(by: "ann", members: .release)), to: try task(1))
            try mutation.apply(.giveUp(reason: "no"), to: try task(2))
            try mutation.apply(.move(position: 1), to: try task(4))
            var run = try task(3)
            run.attempts += 1
            try mutation.store.update([run])
            _ = try mutation.enqueue(
                [EnqueueRequest(type: "new"), EnqueueRequest(type: "newer")], to: "site")
        }
    }

    private static func result(_ folder: SDKFolder) throws -> [String] {
        var lines = [try folder.content("inventory.json")]
        for name in try Files.list("\(folder.path)/tasks") {
            lines.append("\(name) \(try folder.content("tasks/\(name)"))")
        }
        return lines
    }

    private static let steps: Int = {
        let faults = WriteFaults()
        guard let folder = try? ReadingTests.sample(),
            let store = try? folder.open(files: faults), (try? changeMuch(store)) != nil
        else { return 1 }
        return faults.steps
    }()

    @Test("CIO-90 CIO-91 whatever file operation was the last: after opening, all has followed")
    func everyStep() throws {
        let whole = try ReadingTests.sample()
        try Self.changeMuch(try whole.open())
        let wanted = try Self.result(whole)
        #expect(Self.steps >= 7)
        for step in 1...Self.steps {
            let folder = try ReadingTests.sample()
            let faults = WriteFaults()
            let store = try folder.open(files: faults)
            try store.change { try $0.openRun("site", limit: nil) }
            faults.fail(from: step)
            try Self.changeMuch(store)
            #expect(store.exportFailure?.code == .diskFull, "step \(step)")
            store.close()
            // Leftovers of an interrupted write.
            try folder.put("[", "inventory.json.abc123.tmp")
            try folder.put("{", "tasks/\(SDKFolder.id(0xA001)).json.zz9.tmp")
            let reader = try folder.open(readOnly: true)
            let shown = try reader.waiting().map(\.type)
            let again = try folder.open()
            #expect(try Self.result(folder) == wanted, "step \(step)")
            #expect(try again.waiting().map(\.type) == shown && shown.count == 4)
            #expect(try !Files.list(folder.path).contains { $0.hasSuffix(".tmp") })
        }
    }

    @Test("CIO-90 while files cannot follow, the next write is refused; it completes them first")
    func fullDisk() throws {
        let folder = try ReadingTests.sample()
        let faults = WriteFaults()
        let store = try folder.open(files: faults)
        try store.change { try $0.openRun("site", limit: nil) }
        let request = EnqueueRequest(type: "t")
        for step in 1...3 {
            faults.fail(from: step)
            try store.change { _ = try $0.enqueue([request], to: "site") }
            let failure = try #require(store.exportFailure)
            #expect(failure.code == .diskFull)
            faults.fail(from: 1)
            #expect(throws: failure) {
                try store.change { _ = try $0.enqueue([request], to: "site") }
            }
            faults.fail(from: nil)
            try store.change { try $0.changeQueue("site") { $0.barrenRuns += 1 } }
            #expect(store.exportFailure == nil)
            let copy = try SDKFolder(copying: folder.path)
            let types = try copy.open().waiting().map(\.type)
            #expect(try types == store.waiting().map(\.type) && types.count == 4 + step)
        }
    }

    @Test("P6 what the SDK did after a crash of ours is not undone, and ours is not lost")
    func mixed() throws {
        for step in 1...Self.steps {
            let folder = try ReadingTests.sample()
            let faults = WriteFaults()
            let store = try folder.open(files: faults)
            try store.change { try $0.openRun("site", limit: nil) }
            faults.fail(from: step)
            try Self.changeMuch(store)
            store.close()
            // The SDK continues with the current files.
            let app = try SDKFolder(copying: folder.path)
            try app.add("byTheApp")
            let added = try #require(app.items.last)
            try folder.put(added.file, "tasks/\(added.id).json")
            let gone = try #require(app.items.first { $0.type == "push" })
            try app.finish(gone.id)
            try folder.put(app.text, "inventory.json")
            try Files.remove("\(folder.path)/tasks/\(gone.id).json")
            let again = try folder.open()
            let types = try again.waiting().map(\.type)
            #expect(types == ["track", "new", "newer", "byTheApp"], "step \(step)")
            let copy = try SDKFolder(copying: folder.path)
            #expect(try copy.open().waiting().map(\.type) == types, "step \(step)")
            #expect(try Files.list("\(folder.path)/tasks").count == 4, "step \(step)")
        }
    }

    @Test("P6 a crash while sluice.db was made leaves a folder that opens as before")
    func creation() throws {
        let folder = try ReadingTests.sample()
        var step = 0
        var isDone = false
        while !isDone, step < 200 {
            step += 1
            var options = FolderOptions()
            let faults = WriteFaults()
            faults.fail(from: step)
            options.databaseFaults = faults
            let store = try FolderStore.open(path: folder.path, options: options)
            isDone = (try? store.change { try $0.openRun("site", limit: nil) }) != nil
            store.close()
            #expect(try folder.open(readOnly: true).waiting().map(\.id) == [1, 2, 3, 4])
            #expect(try folder.differences() == [])
        }
        #expect(isDone && step > 5)
    }
}
