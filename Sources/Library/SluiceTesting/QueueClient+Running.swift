public import FoundationEssentials
public import Sluice
import SluicePlatform

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
