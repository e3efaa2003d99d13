import SluiceControl
import SluiceFolderStore
import SluiceModel
import SluiceSQL
import SluiceStore
import SluiceSystem
import SluiceTransfer

/// A folder for the stores and files of one test, gone when it is over.
final class Ground: Sendable {
    let path: String
    let now = Protected(at(0))

    init() throws { path = try Files.makeTemporaryDirectory(prefix: "transfer-test-") }

    deinit { try? Files.removeTree(path) }

    func path(_ name: String) -> String { "\(path)/\(name)" }

    func sqlite(_ name: String, faults: WriteFaults? = nil) throws -> SQLiteStore {
        try SQLiteStore.open(
            path: path(name), createIfMissing: true, durability: .normal, faults: faults)
    }

    /// A folder of the SDK's without a task.
    func folder(_ name: String) throws -> FolderStore {
        try Files.makeDirectory(path("\(name)/tasks"), withParents: true)
        try Files.writeAtomically(Array("[]".utf8), to: path("\(name)/inventory.json"))
        return try openFolder(name)
    }

    func openFolder(_ name: String) throws -> FolderStore {
        var options = FolderOptions()
        options.clock = { [now] in now.withLock { $0 } }
        return try FolderStore.open(path: path(name), options: options)
    }

    func write(_ text: String, to name: String) throws {
        try Files.writeAtomically(Array(text.utf8), to: path(name))
    }

    func text(_ name: String) throws -> String {
        String(decoding: try Files.read(path(name), limitBytes: 1 << 26), as: UTF8.self)
    }

    /// The files in the test's folder, without the run folders of stores.
    func names() throws -> [String] {
        try Files.list(path).filter { name in
            !["-run", "-wal", "-shm"].contains { name.hasSuffix($0) }
        }
    }

    func control(_ store: any QueueStore, _ person: String = "ann") -> Control {
        Control(
            store: store, person: person, now: { [now] in now.withLock { $0 } },
            chance: { 0.5 })
    }

    func source(_ store: any QueueStore, filter: String? = nil) throws -> StoreSource {
        let format = store is FolderStore ? TransferFormat.folder : .sqlite
        return StoreSource(
            store, format: format, filter: try filter.map { try TaskFilter($0) }, now: at(0))
    }

    /// Exports a store into a new file of lines, and gives these.
    @discardableResult
    func lines(of store: any QueueStore, _ name: String, filter: String? = nil) throws -> [String] {
        let sink = try LinesSink(path: path(name))
        _ = try TransferExport(from: try source(store, filter: filter), to: sink).run()
        return try text(name).split(separator: "\n").map(String.init)
    }

    @discardableResult
    func importLines(
        _ name: String, into store: any QueueStore, queue: String? = nil, again: Bool = false,
        watching watch: @escaping BulkWatch = { _ in .goOn }
    ) throws -> ImportReport {
        var order = TransferImport(control(store), queue: queue)
        order.again = again
        return try order.run(
            try LinesSource(path: path(name), now: now.withLock { $0 }), watching: watch)
    }

    @discardableResult
    func importStore(
        _ source: any QueueStore, into store: any QueueStore, queue: String? = nil
    ) throws -> ImportReport {
        try TransferImport(control(store), queue: queue).run(try self.source(source))
    }
}

extension QueueStore {
    /// Every task of a queue in the order of arrival.
    func all(_ queue: String) throws -> [QueueTask] {
        try readBlocking { try $0.tasks(.arrived(queue: queue, after: nil), limit: 100_000) }
    }

    @discardableResult
    func act<Value: Sendable>(
        _ body: @escaping @Sendable (Mutation) throws -> Value
    ) throws -> Value {
        try writeBlocking { writer in
            let value = try writer.transact(at: at(0)) { mutation in
                try body(mutation)
            }
            return value
        }
    }

    func enqueue(_ requests: [EnqueueRequest], to queue: String) throws {
        _ = try act { try $0.enqueue(requests, to: queue) }
    }
}

func request(
    _ type: String, _ change: (inout EnqueueRequest) -> Void = { _ in }
) -> EnqueueRequest {
    var request = EnqueueRequest(type: type, payload: Array("{\"n\":1}".utf8))
    change(&request)
    return request
}
