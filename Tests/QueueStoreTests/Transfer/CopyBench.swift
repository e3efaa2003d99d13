import SluiceControl
import SluiceModel
import SluiceSQL
import SluiceStore
import SluiceSystem
import SluiceTestSupport
import SluiceTransfer
import Testing

/// A kind of store to copy queues to.
struct CopyTarget: Sendable, CustomTestStringConvertible {
    let name: String
    let make: @Sendable (Ground) throws -> any QueueStore

    var testDescription: String { name }

    static let sqlite = CopyTarget(name: "sqlite") { try $0.sqlite("target.db") }
    static let postgres = CopyTarget(name: "postgres") { ground in
        let server = try PostgresServer.shared()
        return try PostgresStore.open(
            address: server.address, schema: server.newName(), machineFolder: ground.path,
            createIfMissing: true, durability: .normal)
    }
    static let all = [sqlite] + (PostgresServer.isInstalled ? [postgres] : [])
}

extension Ground {
    func copy(
        _ source: any QueueStore, to target: any QueueStore,
        _ change: (inout StoreCopy) -> Void = { _ in },
        watching watch: @escaping BulkWatch = { _ in .goOn }
    ) throws -> CopyReport {
        var order = StoreCopy(from: control(source), to: control(target))
        order.waitMilliseconds = 0
        change(&order)
        return try order.run(watching: watch)
    }
}

/// The copied content of a queue, as comparable values.
struct CopiedContent: Equatable {
    var settings: QueueSettings
    var pauses: [Pause]
    var tasks: [QueueTask] = []
    var payloads: [[UInt8]?] = []
    var results: [[UInt8]?] = []
    var attempts: [[AttemptRecord]] = []

    init(_ reader: any StoreReader, _ name: String) throws {
        let queue = try reader.requireQueue(name)
        settings = queue.settings
        pauses = queue.pauses.filter { $0.otherStore == nil }
        tasks = try reader.tasks(.arrived(queue: name, after: nil), limit: 10_000)
        for task in tasks {
            payloads.append(try reader.payload(of: task.id))
            results.append(try reader.result(of: task.id))
            attempts.append(
                try reader.attempts(of: task.id).map { attempt in
                    var attempt = attempt
                    attempt.endSequence = 0
                    return attempt
                })
        }
    }
}

extension QueueStore {
    func content(_ queue: String) throws -> CopiedContent {
        try readBlocking { CopyContentBox(value: try CopiedContent($0, queue)) }.value
    }

    func move(_ queue: String) throws -> Pause? {
        try readBlocking { try $0.requireQueue(queue).move }
    }

    func types(_ queue: String) throws -> [String] { try all(queue).map(\.type) }
}

private struct CopyContentBox: Sendable {
    nonisolated(unsafe) var value: CopiedContent
}
