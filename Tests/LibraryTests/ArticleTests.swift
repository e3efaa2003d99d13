import Sluice
import SluicePlatform
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
