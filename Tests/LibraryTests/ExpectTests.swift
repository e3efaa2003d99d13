import Sluice
import SluiceSystem
import Testing

/// An app's own tests that say what must hold, in a store in memory.
@Suite("library: expectations")
struct ExpectTests {
    struct Welcome: TaskPayload {
        static let taskType = "welcome"
        var user: String
    }

    @Test("G7 an app's test expects what its tasks come to")
    func app() async throws {
        let app = QueueClient(store: MemoryStore())
        try app.handle(Welcome.self) { welcome, _ in
            guard welcome.user != "nobody" else {
                throw HandlerError(.giveUp(error: "no such user"))
            }
        }
        for user in ["kim", "ann", "nobody"] {
            try await app.enqueue(Welcome(user: user), to: "mail")
        }
        let before = try await app.expect("order(mail) == [1, 2, 3] and ran(type:welcome) == 0")
        #expect(before.held, "\(before)")
        try await app.drain(network: nil)
        let after = try await app.expect(
            "empty(mail) and ran(type:welcome) == 3 and payload(#3).user == nobody "
                + "and state(#3) == failed and state(#1) == succeeded")
        #expect(after.held, "\(after)")
        let wrong = try await app.expect("count(state:failed) == 0")
        #expect(!wrong.held && wrong.why.map(\.task.id) == [3])
        #expect("\(wrong)".contains("expected count(state:failed) == 0, but 1 matches"))
    }

    @Test("G7 it waits for a worker, and says what is when its time or its task is over")
    func waits() async throws {
        let app = QueueClient(store: MemoryStore())
        try app.handle(Welcome.self) { _, _ in }
        let worker = try app.start(network: nil)
        async let empty = app.expect("ran(type:welcome) == 2", within: .seconds(60))
        for user in ["kim", "ann"] { try await app.enqueue(Welcome(user: user), to: "mail") }
        #expect(try await empty.held)
        try await worker.stop()
        try await app.enqueue(Welcome(user: "leo"), to: "mail")
        let late = try await app.expect("empty(mail)", within: .milliseconds(50))
        #expect(!late.held && late.milliseconds >= 50)
        let waiting = Task { try await app.expect("empty(mail)", within: .seconds(600)) }
        waiting.cancel()
        #expect(try await !waiting.value.held)
        await #expect(throws: QueueError.self) { try await app.expect("emty(mail)") }
        await #expect(throws: QueueError.self) {
            try await app.expect("empty(mail)", throughout: true)
        }
    }
}
