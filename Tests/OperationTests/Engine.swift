import Platform
import QueueStore
import QueueStoreSQLite
import Testing

/// One engine on which every operation is proved: how to make an empty store of its kind.
struct Engine: Sendable, CustomTestStringConvertible {
    let name: String
    let make: @Sendable (_ folder: String, _ faults: WriteFaults) throws -> any QueueStore
    /// The same store again, for reading only.
    let readOnly: @Sendable (_ folder: String, any QueueStore) throws -> any QueueStore

    var testDescription: String { name }

    static let memory = Engine(
        name: "memory", make: { _, faults in MemoryStore(faults: faults) },
        readOnly: { _, store in (store as? MemoryStore)?.readOnly() ?? store })

    static let sqlite = Engine(
        name: "sqlite",
        make: { folder, faults in
            try SQLiteStore.open(
                path: "\(folder)/store.db", createIfMissing: true, durability: .normal,
                faults: faults)
        },
        readOnly: { folder, _ in
            try SQLiteStore.open(path: "\(folder)/store.db", readOnly: true)
        })

    static let all = [memory, sqlite]
}

/// One case on one engine.
struct Case<Value: Sendable>: Sendable, CustomTestStringConvertible {
    let engine: Engine
    let value: Value

    var testDescription: String { "\(engine.name): \(value)" }

    /// Every value on every engine.
    static func all(_ values: [Value]) -> [Case<Value>] {
        Engine.all.flatMap { engine in values.map { Case(engine: engine, value: $0) } }
    }
}
