import SluicePlatform

/// What works an app's tasks in this program: from `QueueClient.start` until it was stopped, or
/// until nothing is left where it was started so.
///
/// It serves what the client handles, also handlers that are added later. Several workers of one
/// client stand beside each other.
public final class Worker: Sendable {
    /// How many events it holds for whoever reads them slowly.
    public static let eventLimit = 1_000

    private let runner: Runner
    private let feed: EventFeed

    init(
        _ client: QueueClient, options: RunnerOptions, network: (any NetworkSource)?,
        onEvent: @escaping @Sendable (RunnerEvent) -> Void
    ) throws {
        let feed = EventFeed()
        let known = client.handlers.withLock { $0 }
        runner = try Runner(
            store: client.store, types: known.types, brokers: known.brokers,
            handlers: known.handler, options: options, network: network, now: client.control.now,
            onEvent: { [meter = client.meter] event in
                meter.note(event)
                onEvent(event)
                feed.tell(event)
            })
        self.feed = feed
        unknownQueues = try Self.unknown(options.queues ?? [], in: client.store)
        try runner.start()
        for error in unknownQueues { onEvent(.troubled(error)) }
    }

    private static func unknown(
        _ names: [String], in store: any QueueStore
    ) throws -> [QueueError] {
        guard !names.isEmpty else { return [] }
        let there = try store.readBlocking { try $0.queues().map(\.name) }
        return names.map(Names.composed).filter { !there.contains($0) }.map { name in
            let error = QueueError.unknownQueue(name, known: there)
            return QueueError(
                error.code, "\(error.message) yet, and it is served once it is there",
                fix: error.fix)
        }
    }

    /// Its number in the store.
    public var id: Int64 { runner.id }

    /// What it does from now on, as a sequence that ends with it. It holds the newest 1,000 events
    /// that were not read; `missedEvents` counts the others. `start(onEvent:)` is told all.
    public var events: AsyncStream<RunnerEvent> { feed.stream() }

    /// How many events were dropped because a sequence was not read.
    public var missedEvents: Int { feed.missed }

    /// Asks it to end, and returns when it has: it takes nothing more, and what runs has its grace
    /// (A6). Called again, or cancelled while it waits, it tells what runs to stop at once. Throws
    /// what `end` throws.
    public func stop() async throws {
        runner.stop()
        try await end()
    }

    /// Returns when it has ended. Throws `noStore`, `notAStore` or `newerSchema` where its store
    /// was taken from it; what ran was stopped then. Where the waiting task is cancelled, the
    /// worker is stopped.
    public func end() async throws {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                runner.whenEnded { continuation.resume() }
            }
        } onCancel: {
            runner.stop()
        }
        if let failure = runner.failure { throw failure }
    }

    /// Lets TERM and INT stop it, until the watch is ended.
    func stopOnSignals() throws -> SignalWatch { try SignalWatch(stopping: runner) }

    /// Serves what a client handles now.
    func serve(_ known: HandlerTable) throws {
        try runner.serve(types: known.types, brokers: known.brokers, handlers: known.handler)
    }

    /// The queues that it was named and that were not there when it began, each with the nearest
    /// name that there is: they are served once they come, but a name may be misspelled.
    public let unknownQueues: [QueueError]

    /// Whether it has ended.
    var hasEnded: Bool { feed.hasEnded }
}

extension QueueClient {
    /// Starts a worker: of every queue or of those that are named, `slots` tasks at once. After
    /// `stop` what runs has `grace` to come to its end. Without a network source the network counts
    /// as online (B6). Blocking handlers hold up neither this nor other handlers' stores. With
    /// `allowsCrash` a fault may kill the app, with whatever else it does (G2). `onEvent` is told
    /// on the worker's thread of all that it does, and should return at once; of names in `queues`
    /// that are no queue yet it is told at once, as of a trouble. Without `onEvent`
    /// a line for each failure is written by `logFailures`.
    ///
    /// Throws `badHandlers` where two handlers want a queue that is there (YTQ-18).
    public func start(
        queues: [String]? = nil, slots: Int = 8, grace: Duration = .seconds(10),
        network: (any NetworkSource)? = SystemNetwork(), allowsCrash: Bool = false,
        onEvent: @escaping @Sendable (RunnerEvent) -> Void = QueueClient.logFailures
    ) throws -> Worker {
        var options = RunnerOptions()
        options.queues = queues
        options.slots = slots
        options.stopGraceMilliseconds = grace.milliseconds
        options.allowsCrash = allowsCrash
        return try worker(options, network, onEvent)
    }

    /// Works until nothing is left that could start by itself, timers included; throws what
    /// `Worker.end` throws. Without `onEvent` failures are written by `logFailures`.
    public func drain(
        queues: [String]? = nil, slots: Int = 8,
        network: (any NetworkSource)? = SystemNetwork(),
        onEvent: @escaping @Sendable (RunnerEvent) -> Void = QueueClient.logFailures
    ) async throws {
        var options = RunnerOptions()
        options.queues = queues
        options.slots = slots
        options.endsWhenEmpty = true
        try await worker(options, network, onEvent).end()
    }

    /// Writes a line on standard error for each attempt that failed, and for each trouble with the
    /// store: what `start`, `drain` and `runService` are told where an app names nothing else. What
    /// was cancelled or stopped by a person did not fail.
    @Sendable public static func logFailures(_ event: RunnerEvent) {
        let line: String
        switch event {
        case .settled(let settled):
            guard let attempt = settled.attempt, let outcome = attempt.outcome,
                ![.success, .cancelled, .stopped].contains(outcome)
            else { return }
            line = attempt.description
        case .troubled(let error): line = SafeWords.line(error.description)
        default: return
        }
        // Standard error may be a pipe that nobody reads any more: a worker goes on without it.
        Signal.blockBrokenPipe()
        try? Standard.write("sluice: \(line)\n", to: .errors)
    }

    private func worker(
        _ options: RunnerOptions, _ network: (any NetworkSource)?,
        _ onEvent: @escaping @Sendable (RunnerEvent) -> Void
    ) throws -> Worker {
        try workers.withLock { workers in
            workers.removeAll { $0.hasEnded }
            let worker = try Worker(
                self, options: options, network: network, onEvent: onEvent)
            workers.append(worker)
            return worker
        }
    }
}

/// The readers of a worker's events.
private final class EventFeed: Sendable {
    private struct State: Sendable {
        var readers: [Int: AsyncStream<RunnerEvent>.Continuation] = [:]
        var last = 0
        var missed = 0
        var hasEnded = false
    }

    private let state = Protected(State())

    var missed: Int { state.withLock { $0.missed } }
    var hasEnded: Bool { state.withLock { $0.hasEnded } }

    func stream() -> AsyncStream<RunnerEvent> {
        let (stream, reader) = AsyncStream<RunnerEvent>.makeStream(
            bufferingPolicy: .bufferingNewest(Worker.eventLimit))
        let key = state.withLock { state -> Int? in
            guard !state.hasEnded else { return nil }
            state.last += 1
            state.readers[state.last] = reader
            return state.last
        }
        guard let key else {
            reader.finish()
            return stream
        }
        reader.onTermination = { [weak self] _ in self?.forget(key) }
        return stream
    }

    private func forget(_ key: Int) { _ = state.withLock { $0.readers.removeValue(forKey: key) } }

    func tell(_ event: RunnerEvent) {
        let readers = state.withLock { state -> [AsyncStream<RunnerEvent>.Continuation] in
            if event == .ended { state.hasEnded = true }
            return Array(state.readers.values)
        }
        var missed = 0
        for reader in readers {
            if case .dropped = reader.yield(event) { missed += 1 }
            if event == .ended { reader.finish() }
        }
        if missed > 0 { state.withLock { $0.missed += missed } }
    }
}

extension Duration {
    /// Whole milliseconds, rounded down.
    var milliseconds: Int64 {
        components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
    }
}
