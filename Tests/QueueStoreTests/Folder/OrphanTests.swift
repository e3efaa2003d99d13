import SluiceControl
import SluiceFolderStore
import SluiceModel
import SluiceStore
import SluiceSystem
import Testing

@Suite("Orphans of a folder")
struct OrphanTests {
    private static let orphan = SDKFolder.id(0xF00D)

    private func sample() throws -> SDKFolder {
        let folder = try ReadingTests.sample()
        try folder.put(
            ForeignProgram.task(Self.orphan, type: "late").file, "tasks/\(Self.orphan).json")
        try folder.put("{", "tasks/broken.json")
        return folder
    }

    private func control(_ store: FolderStore) -> Control {
        Control(store: store, person: "ann", now: { at(9) }, chance: { 0.5 })
    }

    @Test("CIO-90 P3 doctor finds files that no entry names, and changes nothing by looking")
    func found() throws {
        let folder = try sample()
        let before = try folder.picture()
        let early = try folder.open(readOnly: true)
        let found = try control(early).examine(repairs: false)
        #expect(found.tasks == 4 && found.problems.count == 2)
        #expect(found.problems.contains { $0.contains("tasks/\(Self.orphan).json") })
        early.close()
        #expect(try folder.picture() == before)
        let store = try folder.open()
        try store.change { try $0.openRun("site", limit: nil) }
        let files = try Files.list("\(folder.path)/tasks")
        #expect(try control(store).examine(repairs: false).problems.count == 2)
        #expect(try Files.list("\(folder.path)/tasks") == files)
        #expect(try store.waiting().count == 4)
    }

    @Test("CIO-90 P3 doctor --repair takes orphans into the trash; undelete makes tasks of them")
    func mended() throws {
        let folder = try sample()
        let store = try folder.open()
        let found = try control(store).examine(repairs: true)
        #expect(found.isRepaired && found.problems.count == 2)
        #expect(try Files.list("\(folder.path)/tasks").contains("broken.json"))
        try Files.remove("\(folder.path)/tasks/broken.json")
        #expect(try folder.differences() == [])
        #expect(try control(store).examine(repairs: true).problems == [])
        let trash = try store.readBlocking {
            try $0.tasks(matching: TaskQuery(queue: "site", state: .deleted, limit: 9))
        }
        #expect(trash.map(\.type) == ["late"])
        let id = try #require(trash.first?.id)
        _ = try control(store).performBlocking(.undelete([TaskTarget(id)]))
        #expect(try store.waiting().last?.type == "late")
        #expect(try store.reference(of: id) == Self.orphan)
        #expect(try Files.list("\(folder.path)/tasks").contains("\(Self.orphan).json"))
        let copy = try SDKFolder(copying: folder.path)
        #expect(copy.items.last?.id == Self.orphan)
    }

    @Test("P3 a file that vanished is written again where its payload is known")
    func missing() throws {
        let folder = try ReadingTests.sample()
        let store = try folder.open()
        try store.change { try $0.openRun("site", limit: nil) }
        store.close()
        try Files.remove("\(folder.path)/tasks/\(SDKFolder.id(2)).json")
        let again = try folder.open()
        #expect(try again.waiting()[1].waiting?.parking?.cause == .missing)
        #expect(try control(again).examine(repairs: false).problems.count == 1)
        #expect(try control(again).examine(repairs: true).isRepaired)
        #expect(try again.waiting()[1].waiting?.parking == nil)
        #expect(try folder.differences() == [])
        #expect(try control(again).examine(repairs: true).problems == [])
    }

    @Test("P3 a file that was never read stays parked and is named")
    func neverRead() throws {
        let folder = try ReadingTests.sample()
        try Files.remove("\(folder.path)/tasks/\(SDKFolder.id(2)).json")
        let store = try folder.open()
        let found = try control(store).examine(repairs: true)
        #expect(found.problems.count == 1)
        #expect(found.problems.first?.contains("stays parked") ?? false)
        #expect(try store.waiting()[1].waiting?.parking?.cause == .missing)
    }
}
