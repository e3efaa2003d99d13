import SluiceRunner
import SluiceStore
import SluiceSystem

/// An app's access to a store: enqueue, handle, run, control.
///
/// Any task or thread may use a client. A task is durable when `enqueue` returns (P1). After a
/// crash a handler may run a second time (A8).
public final class QueueClient: Sendable {
    package let store: any QueueStore
    /// The name of the store: the path of its file, or where its server is.
    public var storeName: String { store.name }
    /// Every verb of a person, by this program's name.
    public let control: Control
    /// The default queue of `enqueue`.
    public let defaultQueue: String
    let handlers = Protected(HandlerTable())
    let workers = Protected<[Worker]>([])
    let layers = HandlerLayers()
    let meter = TaskMeter()
    let presence = Protected<Attachment?>(nil)
    let endings = Protected<[String: TaskEndings]>([:])
    let mistakes = Protected<(@Sendable (TaskID, String) -> Void)?>(nil)
    private let known = Protected<[String: any TaskPayload.Type]>([:])

    /// A client of a store that is open. `person` is who acts, for the journal; `now` is the
    /// store's clock.
    package init(
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

    /// Opens an SQLite file, and creates it if missing. The product SluicePostgres opens a store on
    /// a PostgreSQL server: `open(postgres:)`.
    public static func open(
        _ path: String, durability: Durability = .full, person: String = "app",
        defaultQueue: String = "default"
    ) throws -> QueueClient {
        guard !["postgres://", "postgresql://"].contains(where: path.hasPrefix) else {
            throw QueueError(
                .badValue, "the address of a PostgreSQL server is no file",
                fix: "import SluicePostgres and call QueueClient.open(postgres:)")
        }
        return QueueClient(
            store: try SQLiteStore.open(
                path: path, createIfMissing: true, durability: durability),
            person: person, defaultQueue: defaultQueue)
    }

    /// From now on sessions give back tasks of this type as its values.
    func know(_ type: any TaskPayload.Type) { known.withLock { $0[type.taskType] = type } }

    /// The types that this program knows, by their names.
    var kinds: [String: any TaskPayload.Type] { known.withLock { $0 } }
}

/// Queries for an app: for its own screens, or an answer to a client.
extension QueueClient {
    /// The present task; `nil` if it does not exist or no longer exists.
    public func task(_ id: TaskID) async throws -> QueueTask? {
        try await store.read { try $0.task(id) }
    }

    /// The executions of a task, the oldest first; of one that runs the last has its progress.
    /// Empty for one that never ran, or that is not there.
    public func attempts(of id: TaskID) async throws -> [AttemptRecord] {
        try await store.read { try $0.attempts(of: id) }
    }

    /// The decoded payload of a task; `nil` if the task does not exist or has another type. Throws
    /// a `HandlerError` if decoding fails.
    public func payload<Payload: TaskPayload>(
        of id: TaskID, as type: Payload.Type
    ) async throws -> Payload? {
        let bytes = try await store.read { store in
            try store.task(id)?.type == Payload.taskType ? try store.payload(of: id) : nil
        }
        return try bytes.map { try PayloadCoding.decode(type, from: $0) }
    }

    /// The handler's result, while the store keeps the task; `nil` before success or without a
    /// result. Throws if decoding fails.
    public func result<Value: Decodable & Sendable>(
        of id: TaskID, as type: Value.Type
    ) async throws -> Value? {
        try await store.read { try $0.result(of: id) }
            .map { try PayloadCoding.decodeJSON(type, $0) }
    }

    /// The reasons why a task does not run, one sentence each, its own reasons first. Empty if it
    /// is eligible, running or ended. Throws `unknownTask`.
    public func why(_ id: TaskID) async throws -> [String] {
        try await look { try $0.line(id).blockers.map(\.text) }
    }

    /// Every queue with its figures: the larger priority first, then by name.
    public func queues() async throws -> [QueueOverview] {
        try await look { try $0.queues() }
    }

    /// Reads from the same snapshot as a page of the console.
    func look<Value: Sendable>(
        _ read: @escaping @Sendable (Reading) throws -> Value
    ) async throws -> Value {
        let now = control.now()
        let signs = VitalSigns(of: store)
        return try await store.read { store in
            try read(Reading(store, now: now, signs: signs))
        }
    }
}

/// A task's end in one call, and the tasks of an app's own screens.
extension QueueClient {
    /// Waits for the end of a task, and returns the decoded result of its handler.
    ///
    /// Throws `notLegal` with the error of a task that was given up or deleted, or whose result the
    /// queue keeps no more (`.keepFinished`). Throws `unknownTask` for a task that never existed,
    /// and `CancellationError` when the calling Swift task is cancelled.
    public func value<Value: Decodable & Sendable>(
        of id: TaskID, as type: Value.Type
    ) async throws -> Value {
        let result = try await firstValue { try $0.resultAtEnd(of: id) }
        return try PayloadCoding.decodeJSON(type, result)
    }

    /// Moves a task to the trash, whether it waits, runs or has ended; a running one is stopped.
    /// `.undelete` of `control` restores it.
    ///
    /// Throws `unknownTask` for a task that does not exist.
    public func cancel(_ id: TaskID) async throws {
        try await control.perform(.delete([TaskTarget(id)], cancelsRunning: true))
    }

    /// Makes a queue or changes its settings, all in one commit; nothing if there is no change.
    ///
    /// Throws `badValue` for a setting out of its range.
    public func configure(_ queue: String, _ changes: () -> [SettingChange]) async throws {
        let changes = changes()
        let isSame = try await store.read { store in
            guard let known = try store.queue(named: queue)?.settings else { return false }
            var wanted = known
            for change in changes { try wanted.apply(change) }
            return wanted == known
        }
        guard !isSame else { return }
        try await control.perform(.setQueue(queue, changes))
    }

    /// The tasks of every queue that match a filter of `sluice list --filter`, in their order, at
    /// most `limit`.
    ///
    /// Throws `badFilter` for a text that is no filter.
    public func tasks(matching filter: String, limit: Int = 1_000) async throws -> [QueueTask] {
        let filter = try TaskFilter(filter)
        return try await look { reading in
            let found = try reading.targets(
                in: try reading.store.queues(), sections: ListSection.allCases, matching: filter)
            return try reading.store.tasks(found.prefix(max(0, limit)).map(\.id))
        }
    }
}

extension StoreReader {
    /// The result of a task that succeeded; nil while it has not ended.
    fileprivate func resultAtEnd(of id: TaskID) throws -> [UInt8]? {
        guard let task = try task(id) else {
            let last = try attempts(of: id).last
            guard last?.outcome != nil else { throw QueueError.unknownTask(id) }
            throw QueueError.notLegal(
                "#\(id) has ended, and its queue keeps no results",
                fix: "set keepFinished of the queue, such as .last(1000)")
        }
        let name = "#\(id) \(task.type)"
        switch task.stateName {
        case .waiting, .running: return nil
        case .succeeded:
            if let result = try result(of: id) { return result }
            throw QueueError.notLegal(
                "\(name) succeeded without a result", fix: "register its handler with returning:")
        case .failed:
            let reason = task.lastError.map { ": \($0)" } ?? ""
            throw QueueError.notLegal(
                "\(name) was given up\(reason)", fix: "retry it, or correct its handler")
        case .deleted:
            throw QueueError.notLegal("\(name) was deleted", fix: "undelete it")
        }
    }
}

extension QueueClient {
    /// The counts of this client's workers by queue and type, since its creation.
    public var metrics: TaskMetrics { meter.metrics }

    /// The metrics now and after each change. A slow reader receives only the newest. The sequence
    /// ends when the reading task ends.
    public var metricUpdates: AsyncStream<TaskMetrics> { meter.updates() }

    /// The metrics of the store and of this client's workers, as OpenMetrics text.
    public func metricsText() async throws -> String {
        let now = control.now()
        let signs = VitalSigns(of: store)
        let families = try await store.read { reader in
            try reader.metricFamilies(at: now, gone: reader.processes().filter(signs.isDead))
        }
        return OpenMetrics.text(families + meter.metrics.families)
    }

    /// Serves `metricsText` over HTTP at `HOST:PORT`, only for `GET /metrics`. It ends with `stop`
    /// or the last reference to the server. It has its own thread and delays no workers.
    ///
    /// Throws `badValue` if the address is invalid or in use.
    public func serveMetrics(at address: String) throws -> MetricsServer {
        guard let place = HostPort(address) else {
            throw QueueError(
                .badValue, "\"\(address)\" is no address to serve metrics at",
                fix: "HOST:PORT such as 127.0.0.1:9464")
        }
        let (store, meter, now) = (store, meter, control.now)
        return try MetricsServer(at: place) {
            let moment = now()
            return try store.metricFamilies(at: moment) + meter.metrics.families
        }
    }
}

extension QueueClient {
    /// Works until the program receives a signal to end: a service. After the first TERM or INT it
    /// takes no more tasks, and running ones have `grace` to end. A second signal stops them
    /// immediately (A6). While it runs, only this call handles these two signals; afterwards their
    /// former effect returns. Otherwise it acts like `start`, and throws the errors of `start` and
    /// `Worker.end`.
    public func runService(
        queues: [String]? = nil, slots: Int = 8, grace: Duration = .seconds(10),
        network: (any NetworkSource)? = SystemNetwork(), allowsCrash: Bool = false,
        onEvent: @escaping @Sendable (RunnerEvent) -> Void = QueueClient.logFailures
    ) async throws {
        let worker = try start(
            queues: queues, slots: slots, grace: grace, network: network,
            allowsCrash: allowsCrash, onEvent: onEvent)
        let signals = try worker.stopOnSignals()
        defer { signals.end() }
        try await worker.end()
    }
}
