import Sluice
import SluiceSystem
import Testing

@Suite("library: steps that are taken back")
struct StepBackTests {
    private struct Mail: TaskPayload {
        static let taskType = "mail"
        var to: String
    }

    @Test("G5 an app takes its newest step back, and is told which effect stays")
    func takesBack() async throws {
        let app = QueueClient(store: MemoryStore())
        let sent = Protected<[String]>([])
        try app.handle(Mail.self) { mail, _ in sent.withLock { $0.append(mail.to) } }
        let id = try await app.enqueue(Mail(to: "kim"), to: "mails")
        try await app.pause("mails")
        let worker = try app.start(network: nil)
        #expect(try await app.step("mails").stepped.map(\.id) == [id])
        #expect(try await app.expect("state(#\(id)) == succeeded").held)
        let answer = try await app.stepBack("mails")
        #expect(answer.changed == [id] && answer.consequences == [])
        #expect(answer.restored?.effects.map(\.number) == [1])
        #expect(try await app.expect("state(#\(id)) == next").held)
        await #expect(throws: QueueError.self) { try await app.stepBack() }
        #expect(try await app.step(id).stepped.map(\.id) == [id])
        #expect(sent.withLock { $0 } == ["kim", "kim"])
        try await worker.stop()
    }
}
