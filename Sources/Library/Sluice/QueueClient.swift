import SluicePlatform

/// A store as an app holds it: enqueue, handle, run, drive.
///
/// One client may be used from any task or thread. What it enqueues survives from the return of
/// `enqueue` on (P1); a handler may run a second time after a crash (A8).
public final class QueueClient: Sendable {
    /// The store.
    public let store: any QueueStore
    /// Every verb of a person, by this program's name.
    public let control: Control
    /// The queue of what is enqueued without one.
    public let defaultQueue: String
    let handlers = Protected(HandlerTable())
    private let streams = Protected<[Int: AsyncStream<RunnerEvent>.Continuation]>([:])
    private let runner = Protected<Runner?>(nil)
    let presence = Protected<Attachment?>(nil)
    private let known = Protected<[String: any TaskPayload.Type]>([:])

    /// A client of a store that is open. `person` is who acts, for the journal; `now` is the
    /// store's clock.
    public init(
        store: any QueueStore, person: String = "app", defaultQueue: String = "default",
        now: @escaping @Sendable () -> Timestamp = {
            Timestamp(milliseconds: SystemClock.nowMilliseconds())
        }
    ) {
        self.store = store
        self.defaultQueue = defaultQueue
        control = Control(
            store: store, person: person, now: now,
            chance: {
                var random = SystemRandom()
                return Double.random(in: 0..<1, using: &random)
            })
    }

    /// Opens an SQLite file, made where there is none.
    public static func open(
        _ path: String, durability: StoreRecord.Durability = .full, person: String = "app",
        defaultQueue: String = "default"
    ) throws -> QueueClient {
        QueueClient(
            store: try SQLiteStore.open(
                path: path, createIfMissing: true, durability: durability),
            person: person, defaultQueue: defaultQueue)
    }

    /// From now on sessions give back tasks of this type as its values.
    func know(_ type: any TaskPayload.Type) { known.withLock { $0[type.taskType] = type } }

    /// The types that this program knows, by their names.
    var kinds: [String: any TaskPayload.Type] { known.withLock { $0 } }

    /// Enqueues a typed task, in the default queue unless another one is named; it is durable when
    /// this returns (P1).
    @discardableResult
    public func enqueue<Payload: TaskPayload>(
        _ payload: Payload, to name: String? = nil,
        _ configure: @Sendable (inout EnqueueRequest) -> Void = { _ in }
    ) async throws -> TaskID {
        let queue = name ?? defaultQueue
        var request = EnqueueRequest(
            type: Payload.taskType, payload: try PayloadCoding.encode(payload))
        configure(&request)
        let (wanted, now) = (request, control.now())
        let result = try await store.transact(at: now) { mutation in
            let result = try mutation.enqueue([wanted], to: queue)
            return result
        }
        return result.ids.first ?? 0
    }

    /// What the runner of this client does, from now on, as a sequence.
    public var events: AsyncStream<RunnerEvent> {
        AsyncStream { continuation in
            let key = streams.withLock { streams -> Int in
                let key = (streams.keys.max() ?? 0) + 1
                streams[key] = continuation
                return key
            }
            continuation.onTermination = { [streams] _ in
                streams.withLock { $0[key] = nil }
            }
        }
    }

    /// How many sequences of events are being read.
    public var watcherCount: Int { streams.withLock { $0.count } }

    /// Runs tasks until `stop`, or with `untilEmpty` until nothing is left that could start by
    /// itself. Blocking handlers hold up neither this nor other handlers' stores. Throws `noStore`
    /// after what ran was stopped, when the store was removed or replaced meanwhile. Its network is
    /// the machine's unless told otherwise; without any it counts as online (B6).
    public func run(
        untilEmpty: Bool = false, options: RunnerOptions = RunnerOptions(),
        network: (any NetworkSource)? = SystemNetwork()
    ) async throws {
        let known = handlers.withLock { $0 }
        var options = options
        options.endsWhenEmpty = untilEmpty
        let streams = streams
        let started = try Runner(
            store: store, types: known.types, brokers: known.brokers,
            handlers: known.handler, options: options, network: network, now: control.now,
            onEvent: { event in
                for stream in streams.withLock({ Array($0.values) }) { stream.yield(event) }
            })
        runner.withLock { $0 = started }
        try started.start()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                started.whenEnded { continuation.resume() }
            }
        } onCancel: {
            started.stop()
        }
        runner.withLock { $0 = nil }
        if let failure = started.failure { throw failure }
    }

    /// Asks the runner of `run` to stop; what runs has 10 s (A6).
    public func stop() { runner.withLock { $0 }?.stop() }
}
