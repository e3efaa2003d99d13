import SluiceFolderStore
import SluiceSQL
import SluiceStore
import SluiceSystem
import SluiceTestSupport
import Testing

/// An engine for the tests of all operations: it creates an empty store.
struct Engine: Sendable, CustomTestStringConvertible {
    let name: String
    let make:
        @Sendable (_ folder: String, _ faults: WriteFaults, _ fileFaults: WriteFaults) throws
            -> any QueueStore
    /// The same store again, for reading only.
    let readOnly: @Sendable (_ folder: String, any QueueStore) throws -> any QueueStore
    /// The maximum number of changes and commits after a successful body.
    var writesAfter = 0
    /// Contradictions between the store and its other files, checked at the end of a test.
    var contradictions: @Sendable (_ folder: String, any QueueStore) throws -> [String] = {
        _, _ in []
    }

    var testDescription: String { name }

    static let memory = Engine(
        name: "memory", make: { _, faults, _ in MemoryStore(faults: faults) },
        readOnly: { _, store in (store as? MemoryStore)?.readOnly() ?? store })

    static let sqlite = Engine(
        name: "sqlite",
        make: { folder, faults, _ in
            try SQLiteStore.open(
                path: "\(folder)/store.db", createIfMissing: true, durability: .normal,
                faults: faults)
        },
        readOnly: { folder, _ in
            try SQLiteStore.open(path: "\(folder)/store.db", readOnly: true)
        })

    /// A folder with the queue `q`, the tests' usual name. The files must follow every change.
    static let folder = Engine(
        name: "folder",
        make: { folder, faults, fileFaults in
            try Files.makeDirectory("\(folder)/q")
            try Files.writeAtomically(Array("[]".utf8), to: "\(folder)/q/inventory.json")
            var options = FolderOptions()
            (options.databaseFaults, options.fileFaults) = (faults, fileFaults)
            let store = try FolderStore.open(path: "\(folder)/q", options: options)
            try store.writeBlocking { writer in
                var record = try writer.storeRecord()
                record.durability = .normal
                try writer.put(record)
                try writer.removeQueue(named: "q")
            }
            return store
        },
        readOnly: { folder, _ in try FolderStore.open(path: "\(folder)/q", readOnly: true) },
        writesAfter: 1,
        contradictions: { folder, store in
            guard let store = store as? FolderStore else { return [] }
            return try FolderFiles("\(folder)/q").contradictions(to: store)
        })

    static let postgres = Engine(
        name: "postgres",
        make: { folder, faults, _ in
            let server = try PostgresServer.shared()
            let schema = server.newName()
            try Files.writeAtomically(Array(schema.utf8), to: "\(folder)/schema")
            return try PostgresStore.open(
                address: server.address, schema: schema, machineFolder: folder,
                createIfMissing: true,
                durability: .normal, faults: faults)
        },
        readOnly: { folder, _ in
            let schema = try Files.read("\(folder)/schema", limitBytes: 100)
            return try PostgresStore.open(
                address: try PostgresServer.shared().address,
                schema: String(decoding: schema, as: UTF8.self), readOnly: true)
        })

    static let all =
        [memory, sqlite, folder] + (PostgresServer.isInstalled ? [postgres] : [])

    /// The engines for tests with a thousand tasks and more. A folder syncs one file per task, so
    /// QueueStoreTests test its bulks once. A server works in a separate process.
    static let large = [memory, sqlite] + (PostgresServer.isInstalled ? [postgres] : [])
}

struct Case<Value: Sendable>: Sendable, CustomTestStringConvertible {
    let engine: Engine
    let value: Value

    var testDescription: String { "\(engine.name): \(value)" }

    static func all(_ values: [Value], on engines: [Engine] = Engine.all) -> [Case<Value>] {
        engines.flatMap { engine in values.map { Case(engine: engine, value: $0) } }
    }
}
