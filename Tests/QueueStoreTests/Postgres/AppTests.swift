import Sluice
import SluicePostgres
import SluiceTestSupport
import Testing

/// An app with a store at a server.
@Suite("PostgreSQL: the library")
struct PostgresLibraryTests {
    private struct Mail: TaskPayload {
        static let taskType = "mail"
        var to: String
    }

    @Test("P7 A1 an app opens a store at a server, works there and finds it again")
    func app() async throws {
        let server = try PostgresServer.shared()
        let database = server.newName()
        try server.run("CREATE DATABASE \(database)")
        let app = try QueueClient.open(postgres: server.address(database))
        try app.handle(Mail.self) { mail, task in task.log("to \(mail.to)") }
        let worker = try app.start(network: nil)
        let id = try await app.enqueue(Mail(to: "dana"), to: "mail")
        while try await app.store.read({ try $0.task(id)?.state.name }) != .succeeded {
            await Task.yield()
        }
        try await worker.stop()
        app.store.close()
        let again = try QueueClient.open(postgres: server.address(database))
        let log = try await again.store.read { try $0.attempts(of: id).flatMap(\.log) }
        #expect(log == ["to dana"])
        again.store.close()
    }

    @Test("P7 the article's shop orders and works at a server")
    func article() async throws {
        let server = try PostgresServer.shared()
        let database = server.newName()
        try server.run("CREATE DATABASE \(database)")
        let shop = try openShop(at: server.address(database))
        let worker = try work(in: shop)
        try await order([7, 9], in: shop)
        let answer = try await shop.expect("ran(type:label) == 2", within: .seconds(60))
        #expect(answer.held, "\(answer)")
        let logs = try await shop.store.read { store in
            try (1...2).flatMap { try store.attempts(of: $0).flatMap(\.log) }
        }
        #expect(logs == ["order 7 on shop", "order 9 on shop"])
        try await worker.stop()
        try await shop.close()
    }

    @Test("P7 a server's address is no file, and the error says what opens it")
    func address() throws {
        let error = #expect(throws: QueueError.self) {
            _ = try QueueClient.open("postgres://dana:secret@nowhere/app")
        }
        #expect(error?.fix.contains("SluicePostgres") == true)
        #expect(error.map { "\($0)".contains("secret") } == false)
    }
}
