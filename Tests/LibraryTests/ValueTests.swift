import SluiceSystem
import SluiceTesting
import Testing

@testable import Sluice

/// A task's end in one call, its hooks, and an app's own screen.
@Suite("library: values and endings", .timeLimit(.minutes(2)))
struct ValueTests {
    struct Charge: TaskPayload, Equatable {
        static let taskType = "charge"
        var order: Int
        var to: String = "kim@example.com"
    }
    struct Receipt: Codable, Sendable, Equatable {
        var number: Int
    }

    private let app: QueueClient

    init() throws { app = try QueueClient.inMemory() }

    @Test("IDJ-33 the value of a task is awaited while its worker runs it")
    func value() async throws {
        try app.handle(Charge.self, returning: Receipt.self) { charge, _ in
            Receipt(number: charge.order)
        }
        let id = try await app.enqueue(Charge(order: 7), to: "shop")
        async let receipt = app.value(of: id, as: Receipt.self)
        let worker = try app.start()
        #expect(try await receipt == Receipt(number: 7))
        #expect(try await app.value(of: id, as: Receipt.self) == Receipt(number: 7))
        try await worker.stop()
    }

    @Test("IDJ-33 a task without a value throws the reason, and an unknown one is unknown")
    func failures() async throws {
        try app.handle(Charge.self) { charge, _ in
            if charge.order == 1 { throw HandlerError(.giveUp(error: "card declined")) }
        }
        let declined = try await app.enqueue(Charge(order: 1), to: "shop")
        let plain = try await app.enqueue(Charge(order: 2), to: "shop")
        let gone = try await app.enqueue(Charge(order: 3), to: "quick")
        try await app.configure("quick") { [.keepFinished(.none)] }
        let cancelled = try await app.enqueue(Charge(order: 4), to: "later") {
            $0.notBefore = Timestamp(milliseconds: 4_000_000_000_000)
        }
        try await app.runAll()
        try await app.cancel(cancelled)
        func reason(_ id: TaskID) async -> String? {
            do {
                _ = try await app.value(of: id, as: Receipt.self)
                return nil
            } catch {
                return (error as? QueueError)?.message
            }
        }
        #expect(await reason(declined) == "#1 charge was given up: card declined")
        #expect(await reason(plain) == "#2 charge succeeded without a result")
        #expect(await reason(gone) == "#3 has ended, and its queue keeps no results")
        #expect(await reason(cancelled) == "#4 charge was deleted")
        #expect(try await app.task(cancelled)?.stateName == .deleted)
        await #expect(throws: QueueError.self) { try await app.value(of: 99, as: Receipt.self) }
    }

    @Test("IDJ-34 an app decides about a restart, and is told before a task is removed")
    func endings() async throws {
        let told = Protected<[String]>([])
        app.shouldRestart(Charge.self) { charge, execution in
            charge.order == 1 && execution.number < 4
        }
        app.beforeDelete(Charge.self) { charge, outcome in
            let word = if case .success = outcome { "done" } else { "given up" }
            told.withLock { $0.append("\(charge.order) \(word)") }
        }
        try app.handle(Charge.self) { charge, _ in
            if charge.order != 2 { throw HandlerError(.retry(error: "no")) }
        }
        try await app.configure("shop") { [.attempts(2), .retry(.fixed(.seconds(1)))] }
        for order in 1...3 { try await app.enqueue(Charge(order: order), to: "shop") }
        try await app.advance(by: .seconds(60))
        let ended = told.withLock { $0 }
        #expect(ended.sorted() == ["1 given up", "2 done", "3 given up"])
        #expect(try await app.attempts(of: 1).count == 4)
        #expect(try await app.attempts(of: 3).count == 2)
    }

    @Test("IDJ-33 a queue is configured in one commit, and once")
    func configures() async throws {
        try await app.configure("orders") { [.concurrency(4), .attempts(3)] }
        try await app.configure("orders") { [.attempts(3), .concurrency(4)] }
        let queue = try #require(try await app.queues().first)
        #expect(queue.name == "orders")
        let lines = try await app.store.read { store in
            try store.journal(JournalQuery(limit: 10)).compactMap { entry in
                if case .event(let event) = entry { event.kind } else { nil }
            }
        }
        #expect(lines.count { $0 == "queueSet" } == 1, "\(lines)")
        await #expect(throws: QueueError.self) {
            try await app.configure("orders") { [.concurrency(9), .attempts(0)] }
        }
        let kept = try await app.store.read { try $0.queue(named: "orders") }
        #expect(kept?.settings.concurrency == 4)
    }

    @Test("A7 DBX-35 a stage of a handler is found by a filter, shown in its row and timed")
    func stages() async throws {
        try app.handle(Charge.self) { charge, task in
            for name in ["", "encrypting", charge.order == 1 ? "sending" : "waiting"] {
                task.stage(name)
            }
            task.log("half")
            if charge.order == 2 { throw HandlerError(.giveUp(error: "no room")) }
        }
        for order in 1...2 { try await app.enqueue(Charge(order: order), to: "shop") }
        try await app.runAll()
        #expect(try await app.tasks(matching: "stage:sending").map(\.id) == [1])
        #expect(try await app.tasks(matching: "stage:encrypting") == [])
        #expect(try await app.tasks(matching: "stage~^wait state:failed").map(\.id) == [2])
        let attempt = try #require(try await app.attempts(of: 2).last)
        #expect(attempt.stageTimes.map(\.stage.name) == ["encrypting", "waiting"])
        #expect(attempt.plainLog == ["half"] && attempt.log.count == 3)
        let row = try await app.look { try $0.line(2).progressText }
        #expect(row == "waiting")
    }

    @Test("CIO-119 an app shows its queue: counts by label, what is queued, a report")
    func screen() async throws {
        let screen = QueueScreen(app: app)
        #expect(try await screen.counts() == [:])
        try app.handle(Charge.self) { _, _ in throw HandlerError(.giveUp(error: "declined")) }
        for order in 1...2 {
            try await app.enqueue(Charge(order: order), to: "shop") {
                $0.label = "orders"
                $0.uniqueKey = "order-\(order)"
            }
        }
        try await app.enqueue(Charge(order: 3), to: "mail")
        #expect(try await screen.counts() == ["orders": 2, "charge": 1])
        #expect(try await screen.isQueued(order: 2))
        #expect(try await screen.isQueued(order: 3) == false)
        try await app.runAll()
        #expect(try await screen.isQueued(order: 2) == false)
        let report = try await screen.report()
        #expect(report.contains("declined") && !report.contains("kim@example.com"))
    }
}
