import FoundationEssentials
import Sluice
import SluiceSystem
import SluiceTesting
import Testing

/// Printed values of the library, and times in Foundation's types.
@Suite("library: printed values")
struct PrintedTests {
    private struct Letter: TaskPayload {
        static let taskType = "letter"
        var secret: String
    }

    private let app: QueueClient
    private let start = Date(timeIntervalSince1970: 1_000_000_000)

    init() throws { app = try QueueClient.inMemory(startingAt: start) }

    @Test("values say what they are in a line, and no byte of a payload")
    func lines() async throws {
        let seen = Protected<[String]>([])
        try app.handle(Letter.self) { _, task in
            seen.withLock { $0.append("\(task.execution)") }
            throw HandlerError(.giveUp(error: "no\nstamp"))
        }
        let id = try await app.enqueue(Letter(secret: "hush"), to: "mail")
        try await app.drain(network: nil) { event in seen.withLock { $0.append("\(event)") } }
        let attempt = try #require(try await app.attempts(of: id).first)
        let task = try #require(try await app.task(id))
        #expect("\(task)" == "#1 letter in mail, failed: no stamp")
        #expect("\(attempt)".hasPrefix("#1 letter in mail, execution 1: gave up after "))
        #expect("\(attempt)".hasSuffix(": no stamp"))
        let lines = seen.withLock { $0 }
        #expect(lines.contains("#1 letter in mail, execution 1 (payload of 17 bytes)"))
        #expect(lines.contains("started #1 letter in mail, execution 1 (payload of 17 bytes)"))
        #expect(lines.contains("settled \(attempt)"))
        let request = EnqueueRequest(type: "letter", payload: Array("hush".utf8))
        #expect("\(Verb.enqueue(queue: "mail", [request]))".contains("letter (payload of 4 bytes)"))
        for line in lines + ["\(task)", "\(attempt)", "\(request)"] {
            #expect(!line.contains("hush") && !line.contains("104, 117"), "\(line)")
            #expect(!line.contains("\n"))
        }
        #expect("\(Timestamp(start))" == "2001-09-09T01:46:40.000Z")
    }

    @Test("what a session gives back says its task")
    func session() async throws {
        try app.handle(Letter.self, returning: String.self) { _, _ in "hush" }
        let session = try await app.session("s")
        let id = try await session.enqueue(Letter(secret: "hush"), to: "mail")
        try await app.runAll()
        let item = try await session.end(of: id)
        #expect("\(item)" == "#1 letter in mail, succeeded")
        #expect("\(SessionEvent.ended(item))" == "ended #1 letter in mail, succeeded")
    }

    @Test("every moment may be a Date")
    func dates() async throws {
        let ran = Protected<[String]>([])
        try app.handle(Letter.self) { letter, _ in ran.withLock { $0.append(letter.secret) } }
        let later = start.addingTimeInterval(60)
        let request = EnqueueRequest(
            type: Letter.taskType, payload: Array(#"{"secret":"a"}"#.utf8), notBefore: later)
        #expect(request.notBefore?.date == later && request.expiresAt == nil)
        let expiring = EnqueueRequest(type: Letter.taskType, expiresAt: later)
        #expect(expiring.expiresAt?.date == later && expiring.notBefore == nil)
        try await app.control.perform(.enqueue(queue: "mail", [request]))
        #expect(try await app.advance(to: start.addingTimeInterval(59)).isEmpty)
        #expect(try await app.advance(to: later).count == 1)
        #expect(try await app.clock().now.date == later)
        let end = later.addingTimeInterval(3600)
        #expect(try await app.setClock(.set(end)).now.date == end)
        #expect(ScheduledMoment(schedule: "s", at: end).at.date == end)
    }
}
