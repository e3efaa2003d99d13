public import FoundationEssentials
public import Sluice
import SluicePlatform

extension QueueClient {
    /// Runs all that may start now, one task after the other in the order of its queue, with what
    /// that enqueues, and returns when nothing is left that could start without time passing: its
    /// attempts, in the order in which they ended.
    ///
    /// What waits for a time goes on waiting; so does what nobody handles, and what a pause holds.
    @discardableResult
    public func runAll(queues: [String]? = nil) async throws -> [AttemptRecord] {
        let ended = Protected<[AttemptRecord]>([])
        try await drain(queues: queues, slots: 1, network: nil) { event in
            guard case .settled(let settled) = event, let attempt = settled.attempt else { return }
            ended.withLock { $0.append(attempt) }
        }
        return ended.withLock { $0 }
    }

    /// Lets time pass by the clock of the store, which then shows so much more: all that may start
    /// runs, then the clock goes to the next moment that something waits for, and what may start
    /// then runs, and so on. Gives the attempts, in the order in which they ended.
    ///
    /// A week of retries takes as long as its handlers do.
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
            // What is due and cannot start would be next for ever.
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
