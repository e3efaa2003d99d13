import Sluice
import SluiceSystem
import SluiceTesting
import Testing

/// The product SluiceTesting in an app's tests.
@Suite("testing an app")
struct TestingTests {
    struct Mail: TaskPayload, Equatable {
        static let taskType = "mail \"odd\" \\ type"
        var to: String
    }
    struct Other: TaskPayload {
        static let taskType = "other"
    }

    private let app: QueueClient

    init() throws { app = try QueueClient.inMemory() }

    @Test("typed payloads that wait, of one queue or all, in their order; no others")
    func enqueued() async throws {
        let mails = (0..<1_100).map { Mail(to: "\($0)") }
        try await app.enqueue(mails, to: "a")
        try await app.enqueue(Mail(to: "b"), to: "b")
        try await app.enqueue(Other(), to: "a")
        #expect(try await app.enqueued(Mail.self) == mails + [Mail(to: "b")])
        #expect(try await app.enqueued(Mail.self, in: "b") == [Mail(to: "b")])
        #expect(try await app.enqueued(Mail.self, in: "c") == [])
        try app.handle(Mail.self) { _, _ in }
        try await app.runAll(queues: ["b"])
        #expect(try await app.enqueued(Mail.self, in: "b") == [])
        let bad = EnqueueRequest(type: Mail.taskType, payload: Array("{}".utf8))
        try await app.control.perform(.enqueue(queue: "c", [bad]))
        await #expect(throws: HandlerError.self) { try await app.enqueued(Mail.self, in: "c") }
    }

    @Test("runAll runs what may start, with what that enqueues, in order, and nothing that waits")
    func runAll() async throws {
        let ran = Protected<[String]>([])
        try app.handle(Mail.self) { mail, task in
            ran.withLock { $0.append(mail.to) }
            if mail.to == "first" { try task.enqueue(Mail(to: "follow-up")) }
        }
        try await app.enqueue([Mail(to: "first"), Mail(to: "second")], to: "q")
        let later = try await app.clock().now + 1
        try await app.enqueue(Mail(to: "later"), to: "q") { $0.notBefore = later }
        try await app.enqueue(Other(), to: "q")
        let attempts = try await app.runAll()
        #expect(ran.withLock { $0 } == ["first", "second", "follow-up"])
        #expect(
            attempts.map(\.task) == [1, 2, 5] && attempts.allSatisfy { $0.outcome == .success })
        #expect(try await app.enqueued(Mail.self) == [Mail(to: "later")])
        #expect(try await app.runAll() == [])
        #expect(try await app.advance(by: .milliseconds(1)).count == 1)
        let error = await #expect(throws: UnmetExpectation.self) {
            try await app.require("empty(q)")
        }
        #expect("\(error.map { "\($0)" } ?? "")".contains("expected empty(q), but"))
    }

    @Test(
        "a test starts at any moment, and time goes on from there",
        arguments: [-1, 0, 946_684_800])
    func anyStart(seconds: Int64) async throws {
        let start = Timestamp(milliseconds: seconds * 1_000)
        let app = try QueueClient.inMemory(startingAt: start.date)
        #expect(try await app.clock().now == start)
        let count = Protected(0)
        try app.handle(Mail.self) { _, _ in count.withLock { $0 += 1 } }
        try await app.enqueue(Mail(to: "x"), to: "q") { $0.notBefore = start + 60_000 }
        #expect(try await app.runAll().isEmpty)
        try await app.advance(by: .seconds(60))
        #expect(count.withLock { $0 } == 1)
        #expect(try await app.clock().now == start + 60_000)
    }

    @Test("G3 the clock stands, shows what it is set to, and goes on by what passes alone")
    func clock() async throws {
        let start = Timestamp(milliseconds: 1_800_000_000_000)
        let app = try QueueClient.inMemory(startingAt: start)
        #expect(try await app.clock().now == start)
        let times = Protected<[Int64]>([])
        try app.handle(Mail.self) { [app] _, _ in
            let now = try await app.clock().now
            times.withLock { $0.append(now - start) }
        }
        for seconds: Int64 in [10, 30, 3_600] {
            try await app.enqueue(Mail(to: "\(seconds)"), to: "q") {
                $0.notBefore = start + seconds * 1_000
            }
        }
        try await app.advance(by: .seconds(60))
        // Each ran at its own moment, and the clock shows the end.
        #expect(times.withLock { $0 } == [10_000, 30_000])
        #expect(try await app.clock().now == start + 60_000)
        try await app.advance(to: start + 3_600_000)
        #expect(times.withLock { $0 } == [10_000, 30_000, 3_600_000])
        await #expect(throws: QueueError.self) { try await app.advance(by: .seconds(-1)) }
        try await app.advance(to: start)
        #expect(try await app.clock().now == start + 3_600_000)
    }

    @Test("R2 schedules make their tasks while time passes")
    func schedules() async throws {
        let count = Protected(0)
        try app.handle(Mail.self) { _, _ in count.withLock { $0 += 1 } }
        try await app.schedule("hourly", .every(.seconds(3_600)), Mail(to: "all"), to: "q")
        try await app.advance(by: .seconds(24 * 3_600))
        #expect(count.withLock { $0 } == 24)
    }

    @Test("time passes a queue that is paused, and one that nobody handles")
    func held() async throws {
        try app.handle(Mail.self) { _, _ in }
        let begin = try await app.clock().now + 5_000
        for queue in ["paused", "open"] {
            try await app.enqueue(Mail(to: queue), to: queue) { $0.notBefore = begin }
            try await app.enqueue(Other(), to: queue) { $0.notBefore = begin }
        }
        try await app.control.perform(.pause(PauseRequest(.queue("paused"))))
        #expect(try await app.advance(by: .seconds(60)).map(\.queue) == ["open"])
        #expect(try await app.enqueued(Mail.self) == [Mail(to: "paused")])
        #expect(try await app.clock().now == begin + 55_000)
    }

    @Test("G2 faults go into the attempts of a type, whatever it is called; no crash does")
    func faults() async throws {
        let calls = Protected(0)
        try app.handle(Mail.self) { _, _ in calls.withLock { $0 += 1 } }
        try app.handle(Other.self) { _, _ in }
        try await app.inject(.giveUp("HTTP 410"), into: Mail.self, in: "b")
        try await app.inject(.twice, into: Mail.self)
        for queue in ["a", "b"] { try await app.enqueue(Mail(to: queue), to: queue) }
        try await app.enqueue(Other(), to: "a")
        let attempts = try await app.runAll()
        #expect(calls.withLock { $0 } == 2)
        #expect(attempts.map(\.error).compactMap { $0 }.count == 1)
        try await app.require("state(#2) == failed and state(#1) == succeeded")
        let error = await #expect(throws: QueueError.self) {
            try await app.inject(.crashAfter, into: Mail.self)
        }
        #expect(error?.code == .badValue)
    }
}
