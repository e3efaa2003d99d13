import Sluice
import SluiceSystem
import SluiceTesting
import Testing

/// An app's reads of its store, and the times in its settings.
@Suite("library: looking")
struct LookingTests {
    struct Charge: TaskPayload, Equatable {
        static let taskType = "charge"
        var order: Int
    }
    struct Receipt: Codable, Sendable, Equatable {
        var number: Int
    }
    struct Other: TaskPayload {
        static let taskType = "other"
    }

    private let app: QueueClient

    init() throws { app = try QueueClient.inMemory() }

    @Test("S4 A7 a task is found by its number: its payload, its executions, its result")
    func task() async throws {
        try app.handle(Charge.self, returning: Receipt.self) { charge, task in
            task.progress(0.5, "asked")
            if task.execution.number == 1 { throw HandlerError(.retry(error: "HTTP 503")) }
            return Receipt(number: charge.order)
        }
        let id = try await app.enqueue(Charge(order: 7), to: "shop") { $0.label = "seven" }
        let fresh = try #require(try await app.task(id))
        #expect(fresh.stateName == .waiting && fresh.label == "seven" && fresh.queue == "shop")
        #expect(try await app.attempts(of: id) == [])
        #expect(try await app.result(of: id, as: Receipt.self) == nil)
        #expect(try await app.payload(of: id, as: Charge.self) == Charge(order: 7))
        #expect(try await app.payload(of: id, as: Other.self) == nil)

        try await app.advance(by: .seconds(60))
        #expect(try await app.task(id)?.stateName == .succeeded)
        let attempts = try await app.attempts(of: id)
        #expect(attempts.map(\.outcome) == [.retry, .success])
        #expect(attempts.map(\.fraction) == [0.5, 0.5] && attempts[0].error == "HTTP 503")
        #expect(try await app.result(of: id, as: Receipt.self) == Receipt(number: 7))
        await #expect(throws: DecodingError.self) {
            try await app.result(of: id, as: [String].self)
        }
    }

    @Test("A7 S4 the status of the library's page, in each state")
    func statusPage() async throws {
        let (reached, opened) = (AsyncStream<Void>.makeStream(), AsyncStream<Void>.makeStream())
        try app.handle(Charge.self) { charge, task in
            if charge.order == 2 { throw HandlerError(.giveUp(error: "no money")) }
            task.progress(0.25)
            reached.continuation.yield()
            for await _ in opened.stream { return }
        }
        #expect(try await status(of: 1, in: app) == "no such order")
        let id = try await app.enqueue(Charge(order: 1), to: "shop")
        let bad = try await app.enqueue(Charge(order: 2), to: "shop")
        #expect(try await status(of: id, in: app).contains("worker"))
        let worker = try app.start(network: nil)
        for await _ in reached.stream { break }
        // The runner writes progress with its next poll.
        while try await status(of: id, in: app) != "25 %" { await Task.yield() }
        opened.continuation.yield()
        let end = try await app.expect("empty(shop)", within: .seconds(60))
        #expect(end.held, "\(end)")
        #expect(try await status(of: id, in: app) == "succeeded")
        #expect(try await status(of: bad, in: app) == "no money")
        try await worker.stop()
    }

    @Test("what is not there is nil, or an error that says so")
    func nothing() async throws {
        #expect(try await app.task(4711) == nil)
        #expect(try await app.attempts(of: 4711) == [])
        #expect(try await app.payload(of: 4711, as: Charge.self) == nil)
        #expect(try await app.result(of: 4711, as: Receipt.self) == nil)
        let error = await #expect(throws: QueueError.self) { try await app.why(4711) }
        #expect(error?.code == .unknownTask)
        #expect(try await app.queues().isEmpty)
    }

    @Test("D1 B1 why a task does not run, in sentences, and nothing of one that has ended")
    func why() async throws {
        try app.handle(Charge.self) { _, _ in }
        let id = try await app.enqueue(Charge(order: 1), to: "shop", after: .seconds(60))
        try await app.pause("shop", reason: "stocktaking")
        let reasons = try await app.why(id)
        #expect(reasons.count >= 2 && reasons[0].hasPrefix("it begins in "), "\(reasons)")
        #expect(reasons.contains { $0.contains("stocktaking") }, "\(reasons)")
        try await app.resume("shop")
        try await app.advance(by: .seconds(60))
        #expect(try await app.task(id)?.stateName == .succeeded)
        #expect(try await app.why(id) == [])
    }

    @Test("Q5 the queues with their figures, the larger priority first")
    func queues() async throws {
        try app.handle(Charge.self) { charge, _ in
            if charge.order == 2 { throw HandlerError(.giveUp(error: "no")) }
        }
        try await app.enqueue([Charge(order: 1), Charge(order: 2)], to: "shop")
        try await app.runAll()
        try await app.enqueue(Charge(order: 3), to: "shop")
        try await app.enqueue(Charge(order: 4), to: "shop", after: .seconds(60))
        try await app.enqueue(Other(), to: "first")
        try await app.control.perform(.setQueue("first", [.priority(1)]))
        try await app.control.perform(
            .pause(PauseRequest(.queue("shop"), reason: "stop", for: .seconds(90))))
        let queues = try await app.queues()
        #expect(queues.map(\.name) == ["first", "shop"])
        #expect(queues.map(\.isPaused) == [false, true])
        let shop = queues[1]
        #expect([shop.waiting, shop.running, shop.failed, shop.succeeded] == [2, 0, 1, 1])
        let pause = try #require(shop.pauses.first)
        let now = try await app.clock().now
        #expect(pause.reason == "stop" && pause.until == now + 90_000)
        #expect(shop.oldest != nil && !shop.isStuck)
    }

    @Test("Q7 Q8 times of settings are durations, and mean the same as milliseconds")
    func durations() async throws {
        try await app.control.perform(
            .setQueue(
                "shop",
                [
                    .timeout(.seconds(30)), .expires(.seconds(60)), .retention(.seconds(90)),
                    .stuckAfter(.seconds(5)), .keepFinished(.time(.seconds(7))),
                    .retry(.linear(base: .seconds(2), step: .milliseconds(1_500))),
                ]))
        let settings = try #require(
            try await app.store.read { try $0.queue(named: "shop") }?.settings)
        #expect(settings.timeoutMilliseconds == 30_000)
        #expect(settings.expiresAfterMilliseconds == 60_000)
        #expect(settings.retentionMilliseconds == 90_000)
        #expect(settings.stuckAfterMilliseconds == 5_000)
        #expect(settings.keepFinished == .milliseconds(7_000))
        #expect(settings.retry == .linear(baseMilliseconds: 2_000, stepMilliseconds: 1_500))
        #expect(RetryRule.fixed(.seconds(1)) == .fixed(milliseconds: 1_000))
        #expect(
            RetryRule.exponential(base: .seconds(1), cap: .seconds(9))
                == .exponential(
                    baseMilliseconds: 1_000, factor: 2, capMilliseconds: 9_000, jitter: 0.1))
        #expect(
            RetryRule.polynomial(base: .seconds(1), power: 4, cap: .seconds(9))
                == .polynomial(baseMilliseconds: 1_000, power: 4, capMilliseconds: 9_000))
    }

    @Test("A4 S4 a handler on a thread of its own may have a result")
    func ownThread() async throws {
        let thread = Protected<UInt>(0)
        try app.handle(Charge.self, on: .ownThread, returning: Receipt.self) { charge, _ in
            thread.withLock { $0 = Thread.currentNumber }
            return Receipt(number: charge.order)
        }
        let id = try await app.enqueue(Charge(order: 3))
        try await app.runAll()
        #expect(try await app.result(of: id, as: Receipt.self) == Receipt(number: 3))
        #expect(thread.withLock { $0 } != 0)
    }

    @Test("D6 a verb on tasks says no more than is meant: delete also tells one that runs to stop")
    func verbs() async throws {
        let id = try await app.enqueue(Charge(order: 1))
        try await app.control.perform(.skip([TaskTarget(id)]))
        #expect(try await app.why(id).first?.contains("skipped") == true)
        try await app.control.perform(.delete([TaskTarget(id)], cancelsRunning: true))
        #expect(try await app.task(id)?.stateName == .deleted)
    }
}
