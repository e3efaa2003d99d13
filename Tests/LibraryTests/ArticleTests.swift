import Sluice
import SluiceSystem
import SluiceTesting
import Testing

/// The programs of the library's articles, run.
@Suite("library: articles")
struct ArticleTests {
    private let folder: String

    init() throws { folder = try Files.makeTemporaryDirectory(prefix: "sluice-article") }

    @Test("P1 A3 an app's first queue")
    func firstQueue() async throws {
        let app = try makeApp(storeAt: "\(folder)/first.db", mail: MailServer())
        try await signUp("dana@example.org", in: app)
        try await work(app) {
            while (try? await app.store.read { try $0.counts()[.succeeded] }) != 1 {
                await Task.yield()
            }
        }
        let logs = try await app.store.read { try $0.attempts(of: 1).flatMap(\.log) }
        #expect(logs == ["sent in attempt 1"])
    }

    @Test("Q4 B9 groups and runs")
    func groups() async throws {
        let app = try QueueClient.open("\(folder)/groups.db")
        try await configure(app)
        try await identify("ann", in: app)
        try await track("opened", of: "ann", in: app)
        let ran = Protected<[String]>([])
        try app.handle(Profile.self) { profile, _ in ran.withLock { $0.append(profile.user) } }
        try app.handle(Event.self) { event, _ in ran.withLock { $0.append(event.name) } }
        let worker = try app.start(network: nil)
        #expect(try await sendNow(app) == 2)
        #expect(ran.withLock { $0 } == ["ann", "opened"])
        try await worker.stop()
    }

    @Test("B5 A3 one task after all that a handler enqueued, also where one is tried again")
    func fanIn() async throws {
        let app = try QueueClient.inMemory()
        try await app.control.perform(.setQueue("packing", [.concurrency(3)]))
        try app.handle(Profile.self) { _, task in try handOver(7, items: 3, by: task) }
        try app.handle(Item.self) { item, task in
            guard item.number == 2, task.execution.number == 1 else { return }
            throw HandlerError(.retry(after: .seconds(30), error: "no box"))
        }
        try app.handle(Parcel.self) { _, _ in }
        try await app.enqueue(Profile(user: "ann"), to: "orders")
        #expect(try await app.runAll().map(\.type) == ["profile", "item", "item", "item"])
        #expect(try await app.enqueued(Parcel.self).map(\.order) == [7])
        #expect(try await app.advance(by: .milliseconds(29_999)).isEmpty)
        #expect(try await app.advance(by: .milliseconds(1)).map(\.type) == ["item", "parcel"])
    }

    @Test("S4 work that outlives the app")
    func sessions() async throws {
        let app = try QueueClient.open("\(folder)/sessions.db")
        try handle(app)
        let worker = try app.start(network: nil)
        let addresses = try await upload(["a.jpg", "b.jpg"], with: app)
        #expect(addresses.sorted() == ["pictures/a.jpg", "pictures/b.jpg"])
        try await worker.stop()
    }
}
