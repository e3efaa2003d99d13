import SluiceSystem

/// A worker of an app, from `QueueClient.start` until it stops, or until no work remains if started
/// that way.
///
/// It uses the client's handlers, later ones included. A client may have several workers.
public final class Worker: Sendable {
    /// The number of events that it buffers for slow readers.
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
                meter.record(event)
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

    /// The events from now on, until the worker ends. It buffers the newest 1,000 events;
    /// `missedEvents` counts the lost ones. `start(onEvent:)` receives every event.
    public var events: AsyncStream<RunnerEvent> { feed.stream() }

    /// The number of events lost to slow readers.
    public var missedEvents: Int { feed.missed }

    /// Stops the worker and returns after its end. It takes no more tasks, and running ones have
    /// its grace (A6). A second call, or a cancellation during the wait, stops them immediately.
    /// Throws the errors of `end`.
    public func stop() async throws {
        runner.stop()
        try await end()
    }

    /// Waits for its end. Throws `noStore`, `notAStore` or `newerSchema` if it lost its store,
    /// after stopping its tasks. A cancellation of the waiting task stops the worker.
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

    /// Stops it on TERM or INT, until the watch ends.
    func stopOnSignals() throws -> SignalWatch { try SignalWatch(stopping: runner) }

    /// Serves what a client handles now.
    func serve(_ known: HandlerTable) throws {
        try runner.serve(types: known.types, brokers: known.brokers, handlers: known.handler)
    }

    /// The named queues that did not exist at the start, each with the nearest existing name. The
    /// worker serves them once they exist, but a name may be misspelled.
    public let unknownQueues: [QueueError]

    var hasEnded: Bool { feed.hasEnded }
}

extension QueueClient {
    /// Starts a worker for every queue or for the named ones, with `slots` concurrent tasks. After
    /// `stop` running tasks have `grace` to end. Without a network source the network counts as
    /// online (B6). Blocking handlers delay no other handlers and no store. With `allowsCrash` a
    /// fault may kill the app (G2). The worker's thread calls `onEvent` for every event, so it
    /// should return quickly. Its first events report names in `queues` that do not exist. Without
    /// `onEvent`, `logFailures` writes a line for each failure.
    ///
    /// Throws `badHandlers` if two handlers want an existing queue (YTQ-18).
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

    /// Works until no task can start automatically, timers included; throws the errors of
    /// `Worker.end`. By default `logFailures` writes failures.
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

    /// Writes a line to standard error for each failed attempt and each problem with the store. It
    /// is the default `onEvent` of `start`, `drain` and `runService`. Omits attempts that a person
    /// cancelled or stopped.
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
        // Standard error may be a closed pipe; a worker then continues without it.
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
