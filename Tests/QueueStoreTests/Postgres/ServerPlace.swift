import SluiceModel
import SluiceStore
import SluiceSystem
import SluiceTestSupport
import Testing

@testable import SluiceSQL

/// A schema at the tests' common server, and the stores in it.
final class ServerPlace: Sendable {
    let server: PostgresServer
    let schema: String
    private let folder: String

    init(_ server: PostgresServer? = nil) throws {
        self.server = try server ?? PostgresServer.shared()
        schema = self.server.newName()
        folder = try Files.makeTemporaryDirectory(prefix: "pg-test-")
    }

    deinit { try? Files.removeTree(folder) }

    func open(
        readOnly: Bool = false, createIfMissing: Bool = true, faults: WriteFaults? = nil,
        role: String = "postgres", schemaOwner: String? = nil
    ) throws(QueueError) -> PostgresStore {
        try PostgresStore.open(
            address: server.address("postgres", role: role), schema: schema, machineFolder: folder,
            readOnly: readOnly, createIfMissing: createIfMissing, schemaOwner: schemaOwner,
            faults: faults)
    }

    func run(_ sql: String) throws { try server.run(sql) }

    func value(of sql: String) throws -> String { try server.value(of: sql) }

    func connect() throws -> ServerConnection {
        let connection = ServerConnection(PostgresSettings(server.address), schema: schema)
        try connection.connect()
        return connection
    }
}

/// The error of a call; `nil` without one.
func refusal(_ body: () throws(QueueError) -> PostgresStore) -> QueueError? {
    do {
        try body().close()
        return nil
    } catch {
        return error
    }
}

extension QueueStore {
    func makeQueue(_ name: String) throws {
        try writeBlocking { try $0.put(QueueRecord(name: name, createdAt: at(0))) }
    }

    func queueNames() throws -> [String] { try readBlocking { try $0.queues().map(\.name) } }
}

extension PostgresStore {
    /// The results of calls that share one commit. All of them wait for an earlier body.
    func together<Value: Sendable>(
        _ calls: [@Sendable () async -> Value]
    ) async throws -> [Value] {
        let (begun, goOn) = (Waiter(), Waiter())
        let first = try Thread(name: "first") {
            try? self.writeBlocking { _ in
                begun.add()
                _ = goOn.passes(0)
            }
        }
        #expect(begun.passes(0))
        defer { first.join() }
        return await withTaskGroup(of: Value.self) { group in
            for call in calls { group.addTask(operation: call) }
            for _ in 0..<1000 { await Task.yield() }
            goOn.add()
            return await group.reduce(into: []) { $0.append($1) }
        }
    }
}
