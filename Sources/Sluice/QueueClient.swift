import Platform

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
    private let handlers = Protected(HandlerTable())
    private let streams = Protected<[Int: AsyncStream<RunnerEvent>.Continuation]>([:])
    private let runner = Protected<Runner?>(nil)
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

    /// Registers the handler of a type, with a prefix only for queues whose names begin so; a
    /// second one for the same type is refused (A4, YTQ-18). It runs at the priority `utility`;
    /// what it throws is a retry, unless it is a `HandlerError`.
    public func handle<Payload: TaskPayload>(
        _ type: Payload.Type, queuePrefix: String? = nil, timeoutMilliseconds: Int64? = nil,
        _ body: @escaping @Sendable (Payload, TaskContext) async throws -> Void
    ) throws {
        try handleBytes(type, queuePrefix, timeoutMilliseconds) {
            try await body($0, $1)
            return nil
        }
    }

    /// Registers the handler of a type whose value is its result: encoded as JSON and kept with the
    /// task for whoever collects it (S4).
    public func handle<Payload: TaskPayload, Value: Encodable & Sendable>(
        _ type: Payload.Type, queuePrefix: String? = nil, timeoutMilliseconds: Int64? = nil,
        _ body: @escaping @Sendable (Payload, TaskContext) async throws -> Value
    ) throws {
        try handleBytes(type, queuePrefix, timeoutMilliseconds) {
            try PayloadCoding.encodeJSON(try await body($0, $1), "result")
        }
    }

    private func handleBytes<Payload: TaskPayload>(
        _ type: Payload.Type, _ queuePrefix: String?, _ timeoutMilliseconds: Int64?,
        _ body: @escaping @Sendable (Payload, TaskContext) async throws -> [UInt8]?
    ) throws {
        let handler = AsyncHandler(timeoutMilliseconds: timeoutMilliseconds) {
            execution, report in
            let payload = try PayloadCoding.decode(type, from: execution.payload)
            let context = TaskContext(execution: execution, report: report)
            return .success(result: try await body(payload, context))
        }
        try handle(type: Payload.taskType, queuePrefix: queuePrefix, handler)
        know(type)
    }

    /// From now on sessions give back tasks of this type as its values.
    func know(_ type: any TaskPayload.Type) { known.withLock { $0[type.taskType] = type } }

    /// The types that this program knows, by their names.
    var kinds: [String: any TaskPayload.Type] { known.withLock { $0 } }

    /// Registers any handler for a type; `*` handles every other type. With a prefix it is the one
    /// for every queue whose name begins so, before those without; prefixes of which one begins the
    /// other are refused (YTQ-18).
    public func handle(
        type: String, queuePrefix: String? = nil, _ handler: any TaskHandler
    ) throws {
        try handlers.withLock { table throws(QueueError) in
            try table.add(handler, type: type, queuePrefix: queuePrefix)
        }
    }

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
        let result = try await store.write(addingTo: queue) { store in
            let mutation = Mutation(store, now: now)
            let result = try mutation.enqueue([wanted], to: queue)
            try mutation.finish()
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
