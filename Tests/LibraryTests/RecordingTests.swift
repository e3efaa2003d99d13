import Sluice
import SluiceSystem
import Testing

/// An app's own test with a checkpoint and a tape.
@Suite("library: what differs, and recordings")
struct RecordingTests {
    private struct Mail: TaskPayload {
        static let taskType = "mail"
        var to: String
    }
    private struct Bounce: Error {}

    @Test("G5 an app's test tells what differs from a checkpoint, and between two")
    func differs() async throws {
        let app = QueueClient(store: MemoryStore())
        try app.handle(Mail.self) { _, _ in }
        await #expect(throws: QueueError.self) { try await app.difference() }
        try await app.control.perform(.takeCheckpoint(CheckpointRequest("before")))
        #expect(try await app.difference() == ["from before to now: nothing differs"])
        let id = try await app.enqueue(Mail(to: "kim"), to: "mails")
        let came = try await app.difference(from: "before")
        #expect(came.first == "from before to now" && came.contains("+ #\(id) mail in mails"))
        try await app.control.perform(.takeCheckpoint(CheckpointRequest("between")))
        try await app.control.perform(.priority([TaskTarget(id)], 3))
        #expect(try await app.checkpoints() == ["before", "between"])
        #expect(
            try await app.difference() == [
                "from between to now", "~ #\(id) mail in mails", "    priority: 0 → 3",
            ])
        let former = try await app.difference(from: "before", to: "between")
        #expect(former.first == "from before to between" && former.contains("+ queue mails"))
    }

    @Test("G6 an app's test records what it does, and the rules say the same of it")
    func records() async throws {
        let folder = try Files.makeTemporaryDirectory(prefix: "sluice-recording")
        defer { try? Files.removeTree(folder) }
        let path = "\(folder)/test.tape"
        let app = QueueClient(store: MemoryStore())
        try app.handle(Mail.self) { mail, _ in if mail.to.isEmpty { throw Bounce() } }
        try await app.control.perform(.setQueue("mails", [.attempts(1)]))
        let ids = try await app.recording(to: path) {
            let ids = try await [
                app.enqueue(Mail(to: "kim"), to: "mails"), app.enqueue(Mail(to: ""), to: "mails"),
            ]
            try await app.drain(network: nil)
            return ids
        }
        #expect(ids.count == 2)
        #expect(try QueueClient.replay(path) == [])
        let tape = String(decoding: try Files.read(path, limitBytes: 1 << 22), as: UTF8.self)
        #expect(tape.contains("kim"))
        // The body's error is thrown, and the recording ends.
        await #expect(throws: Bounce.self) {
            try await app.recording(to: "\(folder)/other.tape") { throw Bounce() }
        }
        #expect(try await app.store.read { try $0.storeRecord().recording } == nil)
        await #expect(throws: (any Error).self) { try await app.recording(to: path) {} }
    }
}
