public import FoundationEssentials
public import Sluice
import SluiceSystem

extension QueueClient {
    /// A client for one test. Its store is empty and in memory, with a frozen clock, so no task
    /// starts automatically. Tasks wait until the test calls `runAll` or `advance`.
    ///
    /// `start` is the initial time of the clock; the default is the real time. Each client has a
    /// separate store, so tests may run in parallel.
    public static func inMemory(
        startingAt start: Timestamp? = nil, defaultQueue: String = "default"
    ) throws -> QueueClient {
        let app = QueueClient(
            store: MemoryStore(), person: "test", defaultQueue: defaultQueue)
        try app.control.performBlocking(.setClock(ClockRequest(.freeze)))
        if let start { try app.control.performBlocking(.setClock(ClockRequest(.set(start)))) }
        return app
    }

    /// The same, from a moment as Foundation has it.
    public static func inMemory(
        startingAt start: Date, defaultQueue: String = "default"
    ) throws -> QueueClient {
        try inMemory(startingAt: Timestamp(start), defaultQueue: defaultQueue)
    }

    /// The payloads of waiting tasks of a type, in one queue or in all, in the order of arrival.
    /// Excludes running, ended and deleted tasks.
    ///
    /// Throws if a payload does not decode as this type.
    public func enqueued<Payload: TaskPayload>(
        _ type: Payload.Type, in queue: String? = nil
    ) async throws -> [Payload] {
        let name = Payload.taskType
        let payloads = try await store.read { store in
            var ids: [TaskID] = []
            var last: TaskID = 0
            while true {
                let page = try store.tasks(.numbered(after: last, in: [.waiting]), limit: 500)
                guard let end = page.last else { break }
                last = end.id
                ids += page.filter { $0.type == name && $0.queue == queue ?? $0.queue }.map(\.id)
            }
            let payloads = try store.payloads(of: ids)
            return ids.compactMap { payloads[$0] }
        }
        return try payloads.map { try Payload(encoded: $0) }
    }
}

extension QueueClient {
    /// Runs all tasks that may start now, one after the other in the order of their queues,
    /// including their follow-ups. Returns the attempts in the order of their ends, once no task
    /// can start without time passing.
    ///
    /// Leaves tasks that wait for a time, have no handler, or that a pause holds.
    @discardableResult
    public func runAll(queues: [String]? = nil) async throws -> [AttemptRecord] {
        let ended = Protected<[AttemptRecord]>([])
        try await drain(queues: queues, slots: 1, network: nil) { event in
            guard case .settled(let settled) = event, let attempt = settled.attempt else { return }
            ended.withLock { $0.append(attempt) }
        }
        return ended.withLock { $0 }
    }

    /// Advances the store's clock by `time`. It runs all eligible tasks, moves the clock to the
    /// next moment that something waits for, and repeats. Returns the attempts in the order of
    /// their ends.
    ///
    /// A week of retries takes only as long as its handlers.
    @discardableResult
    public func advance(by time: Duration) async throws -> [AttemptRecord] {
        let milliseconds =
            time.components.seconds * 1000
            + time.components.attoseconds / 1_000_000_000_000_000
        guard milliseconds >= 0 else {
            throw QueueError(
                .badValue, "time does not pass backwards, by \(time)",
                fix: "setClock(.move(…)) puts the clock back")
        }
        return try await advance(to: clock().now + milliseconds)
    }

    /// Lets time pass until a moment, as `advance(by:)` does.
    @discardableResult
    public func advance(to end: Timestamp) async throws -> [AttemptRecord] {
        var ended = try await runAll()
        while let next = try await clock().next, next.at <= end {
            let before = try await clock().now
            try await setClock(.next(queue: nil))
            ended += try await runAll()
            // A due task that cannot start would remain the next one forever.
            guard try await clock().now > before else { break }
        }
        if try await clock().now < end { try await setClock(.set(end)) }
        return ended + (try await runAll())
    }

    /// Lets time pass until a moment as Foundation has it.
    @discardableResult
    public func advance(to end: Date) async throws -> [AttemptRecord] {
        try await advance(to: Timestamp(end))
    }
}

extension QueueClient {
    /// Makes the next attempts of a type fail (G2), in one queue or in all; by default only the
    /// next one. `.fail("HTTP 503")` skips the handler, and `.twice` calls it twice with one
    /// idempotency key. `.timeOut`, `.offline` and `.giveUp` end the attempt that way.
    ///
    /// Faults of one type apply in the order of their creation. Throws `badValue` for a crash,
    /// which would kill the test.
    public func inject<Payload: TaskPayload>(
        _ fault: Fault.Kind, into type: Payload.Type, in queue: String? = nil, times: Int = 1
    ) async throws {
        guard !fault.isCrash else {
            throw QueueError(
                .badValue, "\(fault.word) would kill the test",
                fix: "a worker in another process takes it: sluice work --allow-crash")
        }
        let place = queue.map { " queue:\(Self.quoted($0))" } ?? ""
        var request = FaultRequest(
            try TaskFilter("type:\(Self.quoted(Payload.taskType))\(place)"), fault)
        request.times = times
        request.forMilliseconds = nil
        try await control.perform(.setFault(request))
    }

    /// A name quoted as a single filter value.
    private static func quoted(_ name: String) -> String {
        "\"" + name.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }
}

/// An expectation that did not hold: expected and actual values, and the reasons.
public struct UnmetExpectation: Error, CustomStringConvertible {
    /// The answer to the expectation.
    public let answer: ExpectAnswer

    /// `expected state(#1) == succeeded, but it is failed`, with the tasks that are in the way.
    public var description: String { "\(answer)" }
}

extension QueueClient {
    /// Throws unless an expectation holds now (G7), such as `empty(mail)`,
    /// `state(#1) == succeeded and ran(type:charge) == 3` or `payload(#2).user == kim`. The error
    /// contains expected and actual values, and why the responsible tasks wait or failed. `expect`
    /// returns the same as a value.
    public func require(_ expectation: String) async throws {
        let answer = try await expect(expectation)
        guard answer.held else { throw UnmetExpectation(answer: answer) }
    }
}
