import SluiceFolderStore
import SluiceModel
import SluiceSQL
import SluiceStore
import SluiceSystem
import SluiceTestSupport
import Testing

/// An engine for the conformance tests: it creates an empty store.
struct Engine: Sendable, CustomTestStringConvertible {
    /// An empty store, with what a test may do to it.
    struct Place: Sendable {
        var store: any QueueStore
        var faults: WriteFaults
        /// The same store again, for reading only.
        var readOnly: @Sendable () throws -> any QueueStore
    }

    let name: String
    let make: @Sendable (_ folder: String) throws -> Place

    var testDescription: String { name }

    static let memory = Engine(name: "memory") { _ in
        let faults = WriteFaults()
        let store = MemoryStore(faults: faults)
        return Place(store: store, faults: faults) { store.readOnly() }
    }

    static let sqlite = Engine(name: "sqlite") { folder in
        let faults = WriteFaults()
        let path = "\(folder)/store.db"
        let store = try SQLiteStore.open(
            path: path, createIfMissing: true, durability: .normal, faults: faults)
        return Place(store: store, faults: faults) {
            try SQLiteStore.open(path: path, readOnly: true)
        }
    }

    /// A folder without tasks and without its own queue. Tests create their queues.
    static let folder = Engine(name: "folder") { folder in
        let faults = WriteFaults()
        let path = "\(folder)/q"
        try Files.makeDirectory(path)
        try Files.writeAtomically(Array("[]".utf8), to: "\(path)/inventory.json")
        var options = FolderOptions()
        options.databaseFaults = faults
        let store = try FolderStore.open(path: path, options: options)
        try store.writeBlocking { writer in
            var record = try writer.storeRecord()
            record.durability = .normal
            try writer.put(record)
            try writer.removeQueue(named: "q")
        }
        return Place(store: store, faults: faults) {
            try FolderStore.open(path: path, readOnly: true)
        }
    }

    static let postgres = Engine(name: "postgres") { folder in
        let faults = WriteFaults()
        let server = try PostgresServer.shared()
        let (address, schema) = (server.address, server.newName())
        let store = try PostgresStore.open(
            address: address, schema: schema, machineFolder: folder, createIfMissing: true,
            durability: .normal,
            faults: faults)
        return Place(store: store, faults: faults) {
            try PostgresStore.open(address: address, schema: schema, readOnly: true)
        }
    }

    static let all =
        [memory, sqlite, folder] + (PostgresServer.isInstalled ? [postgres] : [])
}

/// An empty store of an engine in a separate folder. Its deinit removes both.
final class Bench: Sendable {
    let place: Engine.Place
    private let folder: String

    init(_ engine: Engine) throws {
        folder = try Files.makeTemporaryDirectory(prefix: "store-test-")
        place = try engine.make(folder)
    }

    deinit {
        place.store.close()
        try? Files.removeTree(folder)
    }

    @discardableResult
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreWriter) throws -> Value
    ) throws -> Value { try place.store.writeBlocking(body) }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreReader) throws -> Value
    ) throws -> Value { try place.store.readBlocking(body) }
}

/// The moment that many seconds after the tests' beginning.
func at(_ seconds: Int64) -> Timestamp {
    Timestamp(milliseconds: 1_800_000_000_000 + seconds * 1000)
}

extension StoreWriter {
    func makeQueue(
        _ name: String = "q", _ change: (inout QueueSettings) -> Void = { _ in }
    ) throws {
        var settings = QueueSettings()
        settings.keepFinished = .none
        change(&settings)
        try put(QueueRecord(name: name, settings: settings, createdAt: at(0)))
    }

    /// Adds tasks with their numbers as positions; `change` receives the index in the batch.
    @discardableResult
    func add(
        _ count: Int = 1, to queue: String = "q",
        _ change: (inout QueueTask, Int) -> Void = { _, _ in }
    ) throws -> [QueueTask] {
        let first = try reserveTaskIDs(count)
        let tasks = (0..<count).map { place in
            let id = first + TaskID(place)
            var task = QueueTask(
                id: id, queue: queue, type: "mail", position: id, createdAt: at(0))
            change(&task, place)
            return task
        }
        try insert(tasks.map { NewTask(task: $0, payload: Array("{\"n\":\($0.id)}".utf8)) })
        return tasks
    }

    func change(_ id: TaskID, _ change: (inout QueueTask) -> Void) throws {
        var task = try requireTask(id)
        change(&task)
        try update([task])
    }
}

extension StoreReader {
    /// All tasks of a query, read in pages.
    func pages(_ query: TaskQuery, order: QueueOrder) throws -> [QueueTask] {
        var found: [QueueTask] = []
        var query = query
        while true {
            let page = try tasks(matching: query)
            found += page
            guard page.count == query.limit, let last = page.last else { return found }
            query.after = last.orderKey(order)
        }
    }
}
