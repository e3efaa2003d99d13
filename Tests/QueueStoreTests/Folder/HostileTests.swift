import SluiceFolderStore
import SluiceModel
import SluiceStore
import SluiceSystem
import Testing

@Suite("Hostile folders")
struct HostileTests {
    /// An invalid SDK folder, and its error.
    enum Harm: String, CaseIterable {
        case nothing, file, device, pipe, dangling, empty
        case linkedInventory, pipeInventory, folderInventory, linkedTasks, linkedDatabase
        case deviceInventory, linkedLog
        case huge, truncated, object, twice, noDatabase

        var code: QueueError.Code {
            switch self {
            case .nothing, .dangling: .noStore
            case .huge, .truncated, .object, .twice: .damagedStore
            default: .notAStore
            }
        }
    }

    private func make(_ harm: Harm) throws -> (SDKFolder, String) {
        let folder = try ReadingTests.sample()
        let (path, inventory) = (folder.path, "\(folder.path)/inventory.json")
        switch harm {
        case .nothing: return (folder, "\(path)/none")
        case .file: return (folder, inventory)
        case .device: return (folder, "/dev/null")
        case .pipe:
            try Special.pipe("\(folder.root)/pipe")
            return (folder, "\(folder.root)/pipe")
        case .dangling:
            try Special.link("\(path)/none", at: "\(folder.root)/link")
            return (folder, "\(folder.root)/link")
        case .empty:
            try Files.makeDirectory("\(folder.root)/empty")
            return (folder, "\(folder.root)/empty")
        case .linkedInventory:
            try Files.rename(inventory, to: "\(path)/other.json")
            try Special.link("\(path)/other.json", at: inventory)
        case .pipeInventory:
            try Files.remove(inventory)
            try Special.pipe(inventory)
        case .deviceInventory:
            try Files.remove(inventory)
            try Special.device(inventory)
        case .linkedLog:
            try folder.put("", "sluice.db")
            try Special.link("\(folder.root)/none", at: "\(path)/sluice.db-wal")
        case .folderInventory:
            try Files.remove(inventory)
            try Files.makeDirectory(inventory)
        case .linkedTasks:
            try Files.rename("\(path)/tasks", to: "\(path)/others")
            try Special.link("\(path)/others", at: "\(path)/tasks")
        case .linkedDatabase: try Special.link("\(path)/none", at: "\(path)/sluice.db")
        case .huge: try Special.sparse(inventory, bytes: 1 << 30)
        case .truncated: try folder.put(String(folder.text.dropLast(9)), "inventory.json")
        case .object: try folder.put("{}", "inventory.json")
        case .twice:
            let entry = folder.items[0].entry
            try folder.put("[\(entry),\(entry)]", "inventory.json")
        case .noDatabase: try folder.put("no database at all", "sluice.db")
        }
        return (folder, path)
    }

    @Test(
        "CIO-92 P3 what is no folder of the SDK's, or a damaged one, is refused and left alone",
        arguments: Harm.allCases, [false, true])
    func refused(_ harm: Harm, readOnly: Bool) throws {
        let (folder, path) = try make(harm)
        if harm == .deviceInventory, Files.kind("\(path)/inventory.json") == nil {
            return print("skipped: this user may make no device")
        }
        let isLarge = harm == .huge
        let before = isLarge ? [] : try folder.picture()
        let error = #expect(throws: QueueError.self) {
            try FolderStore.open(path: path, readOnly: readOnly)
        }
        #expect(error?.code == harm.code, "\(error.map(String.init(describing:)) ?? "")")
        #expect(error.map { !$0.message.isEmpty && !$0.fix.isEmpty } ?? false)
        if !isLarge { #expect(try folder.picture() == before) }
        let hasLog = try Files.list(folder.path).contains("sluice.db-wal")
        #expect(hasLog == (harm == .linkedLog))
    }

    @Test("P6 a file that grows while it is read ends in a sentence, and takes no memory for it")
    func growing() throws {
        let folder = try ReadingTests.sample()
        let path = folder.path
        let isDone = Protected(false)
        let thread = try Thread(name: "foreign") {
            let open = try? Special.openForWriting("\(path)/inventory.json")
            while !isDone.withLock({ $0 }) {
                try? open?.writeAll(Array(repeating: UInt8(ascii: " "), count: 4096))
                _ = try? Poll.wait(fds: [], timeoutMilliseconds: 1)
            }
        }
        while try Files.status("\(path)/inventory.json")?.sizeBytes ?? 0 < 4096 {
            _ = try Poll.wait(fds: [], timeoutMilliseconds: 1)
        }
        let error = #expect(throws: QueueError.self) { try folder.open() }
        isDone.withLock { $0 = true }
        thread.join()
        #expect(error?.code == .damagedStore)
        try folder.put(folder.text, "inventory.json")
        #expect(try folder.open().waiting().count == 4)
    }

    @Test("P6 a link to a folder is the folder, and the queue has its name")
    func linked() throws {
        let folder = try ReadingTests.sample()
        try Special.link(folder.path, at: "\(folder.root)/link")
        let store = try FolderStore.open(path: "\(folder.root)/link")
        try store.change { try $0.openRun("site", limit: nil) }
        #expect(try Files.list(folder.root) == ["link", "site"])
        #expect(try folder.differences() == [])
    }

    @Test("P3 an inventory that is damaged later is refused by the next write; reading goes on")
    func damagedLater() throws {
        let folder = try ReadingTests.sample()
        let store = try folder.open()
        try store.change { try $0.openRun("site", limit: nil) }
        try folder.put("[{", "inventory.json")
        let error = #expect(throws: QueueError.self) {
            try store.change { try $0.endRun("site") }
        }
        #expect(error?.code == .damagedStore)
        #expect(try store.waiting().count == 4)
        #expect(try folder.content("inventory.json") == "[{")
        try Files.remove("\(folder.path)/inventory.json")
        let lost = #expect(throws: QueueError.self) { try folder.open() }
        #expect(lost?.code == .damagedStore)
        #expect(!Files.exists("\(folder.path)/inventory.json"))
        try folder.put(folder.text, "inventory.json")
        try store.change { try $0.endRun("site") }
    }

    @Test("P6 ids are kept as they are; one that is no safe name of a file reaches no file")
    func ids() throws {
        let folder = try SDKFolder()
        let secret = "\(folder.root)/site/secret.json"
        let ids = [
            "abcdef01-aaaa-4bbb-8ccc-dddddddddddd", "no uuid", "x.json", "../../secret", ".hidden",
            "a/b",
        ]
        let entries = ids.map { id in
            "{\"created_at\":1,\"task_persisted_id\":\"\(id.replacing("/", with: "\\/"))\","
                + "\"task_type\":\"t\"}"
        }
        let text = "[\(entries.joined(separator: ","))]"
        try folder.put(text, "inventory.json")
        for (id, name) in [(ids[0], ids[0] + ".json"), (ids[1], "no uuid.json"), (ids[2], ids[2])] {
            let item = SDKFolder.Item(id: id, entry: "", data: "e30=", type: "t", runs: 0)
            try folder.put(item.file, "tasks/\(name)")
        }
        let item = SDKFolder.Item(id: ids[3], entry: "", data: "e30=", type: "t", runs: 0)
        try Files.writeAtomically(
            Array(item.file.replacing("../..", with: "..\\/..").utf8), to: secret)
        let store = try folder.open()
        let parked = try store.waiting().map { $0.waiting?.parking?.cause == .missing }
        #expect(parked == [false, false, false, true, true, true])
        #expect(try store.reference(of: 4) == ids[3])
        #expect(try store.task(matching: TaskReference("ABCDEF01")) == 1)
        try store.change { mutation in
            for id in TaskID(1)...6 {
                let task = try mutation.store.requireTask(id)
                try mutation.apply(.delete(Deletion(by: "ann")), to: task)
            }
        }
        #expect(try folder.content("inventory.json") == "[]")
        #expect(try Files.list("\(folder.path)/tasks") == [])
        #expect(Files.exists(secret))
        try store.change { mutation in
            for id in TaskID(1)...6 {
                try mutation.apply(.undelete, to: try mutation.store.requireTask(id))
            }
        }
        #expect(try folder.content("inventory.json") == text)
        let refused = #expect(throws: QueueError.self) {
            try store.writeBlocking { try $0.setPayload([], of: 4) }
        }
        #expect(refused?.code == .notLegal)
    }

    @Test("P6 files that no entry names are left alone")
    func orphans() throws {
        let folder = try ReadingTests.sample()
        try folder.put("{}", "tasks/FFFFFFFF-AAAA-4BBB-8CCC-DDDDDDDDDDDD.json")
        try folder.put("x", "tasks/notes.json.abc.tmp")
        try folder.put("x", "notes.txt")
        let store = try folder.open()
        try store.change { try $0.openRun("site", limit: nil) }
        store.close()
        try folder.open().close()
        let names = try Files.list("\(folder.path)/tasks")
        #expect(names.count == 6 && Files.exists("\(folder.path)/notes.txt"))
    }

    @Test("P6 an empty queue opens; a folder without one is taken for empty only when asked")
    func empty() throws {
        let folder = try SDKFolder("app")
        let store = try folder.open()
        #expect(try store.waiting() == [])
        _ = try store.change { try $0.enqueue([EnqueueRequest(type: "t")], to: "app") }
        #expect(try folder.content("inventory.json").contains("\"t\""))
        try Files.makeDirectory("\(folder.root)/new")
        let new = try FolderStore.open(path: "\(folder.root)/new", createIfMissing: true)
        _ = try new.change { try $0.enqueue([EnqueueRequest(type: "t")], to: "new") }
        #expect(try FolderStore.open(path: "\(folder.root)/new").waiting().count == 1)
    }

    @Test("P5 a folder that may not be written is read, and a change is refused")
    func denied() throws {
        guard ProcessIdentity.userID != 0 else {
            print("skipped: this user may write everywhere")
            return
        }
        let folder = try ReadingTests.sample()
        try Special.setMode("\(folder.path)", 0o500)
        defer { try? Special.setMode("\(folder.path)", 0o700) }
        let store = try folder.open()
        #expect(try store.waiting().count == 4)
        let error = #expect(throws: QueueError.self) {
            try store.change { try $0.openRun("site", limit: nil) }
        }
        #expect(error?.code == .denied || error?.code == .readOnly)
    }
}
