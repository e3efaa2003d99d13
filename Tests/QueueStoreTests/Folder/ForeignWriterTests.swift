import SluiceFolderStore
import SluiceModel
import SluiceStore
import SluiceSystem
import Testing

@Suite("A folder that another program writes too")
struct ForeignWriterTests {
    /// The other program's action between two of our file operations.
    enum Deed: String, CaseIterable, Sendable {
        case add
        /// Takes one of its tasks away.
        case finish
        /// Adds to a read from before our operation, which overwrites our changes.
        case addToFormer
        /// Removes one from a read before our operation.
        case finishFormer
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var deed: Deed
        var way: ForeignProgram.Way
        var testDescription: String { "\(deed) \(way)" }

        static let all = Deed.allCases.flatMap { deed in
            ForeignProgram.Way.allCases.map { Case(deed: deed, way: $0) }
        }
    }

    private static let theirs = SDKFolder.id(0xF001)

    private static func act(_ one: Case, _ folder: String, former: [String]) throws {
        let program = ForeignProgram(folder: folder, way: one.way)
        let now = try program.elements() ?? former
        switch one.deed {
        case .add: try program.add(theirs, type: "theirs", to: now)
        case .finish: try program.finish(SDKFolder.id(4), of: now)
        case .addToFormer: try program.add(theirs, type: "theirs", to: former)
        case .finishFormer: try program.finish(SDKFolder.id(4), of: former)
        }
    }

    /// One of our tasks goes, another comes.
    private static func change(_ store: FolderStore) throws {
        try store.change(1) { mutation in
            let task = try mutation.store.requireTask(2)
            try mutation.apply(.giveUp(reason: "no"), to: task)
            _ = try mutation.enqueue([EnqueueRequest(type: "ours")], to: "site")
        }
    }

    private static func steps() throws -> Int {
        let folder = try ReadingTests.sample()
        let count = Protected(0)
        let store = try folder.open(onStep: { _ in count.withLock { $0 += 1 } })
        try change(store)
        return count.withLock { $0 }
    }

    @Test(
        "CIO-97 P6 what comes between any two of our file operations is kept", arguments: Case.all)
    func everyStep(_ one: Case) throws {
        let steps = try Self.steps()
        #expect(steps >= 9)
        for step in 1...steps {
            let folder = try ReadingTests.sample()
            let path = folder.path
            let count = Protected(0)
            let former = Protected<[String]>([])
            let store = try folder.open(onStep: { _ in
                let now = count.withLock { count in
                    count += 1
                    return count
                }
                guard now == step else { return }
                do {
                    try Self.act(one, path, former: former.withLock { $0 })
                } catch {
                    Issue.record("step \(step): \(error)")
                }
            })
            let program = ForeignProgram(folder: path, way: one.way)
            former.withLock { $0 = (try? program.elements()) ?? [] }
            try Self.change(store)
            // Our next write takes in what came after the last look.
            try store.change { try $0.changeQueue("site") { $0.barrenRuns += 1 } }
            try Self.judge(one, folder, store, "step \(step)")
        }
    }

    @Test("CIO-90 P6 it comes in the moment of our crash, and is kept", arguments: Case.all)
    func crashBeside(_ one: Case) throws {
        for step in 1...(try Self.steps()) {
            let folder = try ReadingTests.sample()
            let path = folder.path
            let (count, former) = (Protected(0), Protected<[String]>([]))
            let faults = WriteFaults()
            let store = try folder.open(
                files: faults,
                onStep: { _ in
                    let now = count.withLock { count in
                        count += 1
                        return count
                    }
                    guard now == step else { return }
                    do {
                        try Self.act(one, path, former: former.withLock { $0 })
                    } catch {
                        Issue.record("step \(step): \(error)")
                    }
                    // This step is the last.
                    faults.fail(from: 2)
                })
            let program = ForeignProgram(folder: path, way: one.way)
            former.withLock { $0 = (try? program.elements()) ?? [] }
            try Self.change(store)
            store.close()
            let again = try folder.open()
            try Self.judge(one, folder, again, "step \(step)")
        }
    }

    private static func judge(
        _ one: Case, _ folder: SDKFolder, _ store: FolderStore, _ place: String
    ) throws {
        let isAdded = one.deed == .add || one.deed == .addToFormer
        var wanted = ["identify", "push"]
        if isAdded { wanted.append("track") }
        wanted.append("ours")
        if isAdded { wanted.append("theirs") }
        let types = try store.waiting().map(\.type)
        #expect(types.sorted() == wanted.sorted(), "\(place)")
        #expect(try store.waiting().allSatisfy { $0.waiting?.parking == nil }, "\(place)")
        store.close()
        let copy = try SDKFolder(copying: folder.path)
        #expect(copy.items.map(\.type) == types, "\(place)")
        #expect(try Files.list("\(folder.path)/tasks").count == types.count, "\(place)")
        let left = try Files.list(folder.path).filter { $0.hasSuffix(".tmp") }
        #expect(left == [], "\(place)")
    }

    @Test("P6 who had the inventory open when we swapped it writes into it to its end")
    func openWhenSwapped() throws {
        let folder = try ReadingTests.sample()
        let path = folder.path
        let (entry, file) = ForeignProgram.task(Self.theirs, type: "theirs")
        let text = "[\((folder.items.map(\.entry) + [entry]).joined(separator: ","))]"
        try folder.put(file, "tasks/\(Self.theirs).json")
        let writer = Protected<Thread?>(nil)
        let store = try folder.open(onStep: { step in
            guard step == .place, writer.withLock({ $0 == nil }) else { return }
            let inventory = "\(path)/inventory.json"
            do {
                let former = try Files.status(inventory)?.inode
                // Open but unchanged: only the open file shows that a process writes.
                let open = try FileDescriptor(opening: inventory, flags: 0o1)
                let thread = try Thread(name: "foreign") {
                    while (try? Files.status(inventory))??.inode == former { yieldThread() }
                    try? open.writeAll(Array(text.utf8))
                    open.close()
                }
                writer.withLock { $0 = thread }
            } catch {
                Issue.record("\(error)")
            }
        })
        try Self.change(store)
        writer.withLock { $0 }?.join()
        let types = try store.waiting().map(\.type)
        #expect(types.sorted() == ["identify", "ours", "push", "theirs", "track"])
        let copy = try SDKFolder(copying: folder.path)
        #expect(copy.items.map(\.type) == types)
    }

    private static func yieldThread() {
        _ = try? Poll.wait(fds: [], timeoutMilliseconds: 1)
    }

    private func yieldThread() { Self.yieldThread() }

    @Test("CIO-97 P6 an inventory that a program is writing is waited for, not taken for damage")
    func halfWritten() throws {
        let folder = try ReadingTests.sample()
        let store = try folder.open()
        try store.change { try $0.openRun("site", limit: nil) }
        let text = Array(folder.text.utf8)
        let open = try Special.openForWriting("\(folder.path)/inventory.json")
        try open.writeAll(Array(text.prefix(40)))
        let thread = try Thread(name: "foreign") {
            for _ in 0..<20 { Self.yieldThread() }
            try? open.writeAll(Array(text.dropFirst(40)))
            open.close()
        }
        try store.change { try $0.endRun("site") }
        thread.join()
        #expect(try store.waiting().count == 4)
        #expect(try folder.differences() == [])
    }

    @Test("P6 who watches a folder is shown what another program adds, without a write of ours")
    func watched() throws {
        let folder = try ReadingTests.sample()
        let store = try folder.open()
        try store.change { try $0.openRun("site", limit: nil) }
        let signal = try EventSignal()
        let observation = try store.observe { signal.signal() }
        try folder.add("new")
        var types: [String] = []
        while types.last != "new" {
            let found = try Poll.wait(
                fds: [PollInterest(signal.descriptor.number)], timeoutMilliseconds: 5000)
            signal.drain()
            guard !found.isEmpty else { break }
            types = try store.waiting().map(\.type)
        }
        withExtendedLifetime(observation) {}
        #expect(types.last == "new")
    }

    @Test("P6 an entry that a program wrote over comes back, is journalled, and its task stays")
    func overwritten() throws {
        let folder = try ReadingTests.sample()
        let store = try folder.open()
        let former = folder.text
        _ = try store.change { try $0.enqueue([EnqueueRequest(type: "ours")], to: "site") }
        let ours = try folder.content("inventory.json")
        try folder.put(former, "inventory.json")
        let again = try folder.open()
        #expect(try again.waiting().map(\.id) == [1, 2, 3, 4, 5])
        #expect(try folder.content("inventory.json") == ours)
        let events = try again.readBlocking { try $0.journal(JournalQuery(limit: 1)) }
        guard case .event(let event)? = events.last else {
            Issue.record("no event")
            return
        }
        #expect(event.kind == "restored" && event.task == 5)
    }
}
