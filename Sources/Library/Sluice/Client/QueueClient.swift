import SluicePlatform

/// A store as an app holds it: enqueue, handle, run, drive.
///
/// One client may be used from any task or thread. What it enqueues survives from the return of
/// `enqueue` on (P1); a handler may run a second time after a crash (A8).
public final class QueueClient: Sendable {
    /// The store.
    package let store: any QueueStore
    /// The name of the store: the path of its file, or where its server is.
    public var storeName: String { store.name }
    /// Every verb of a person, by this program's name.
    public let control: Control
    /// The queue of what is enqueued without one.
    public let defaultQueue: String
    let handlers = Protected(HandlerTable())
    let workers = Protected<[Worker]>([])
    let layers = HandlerLayers()
    let meter = TaskMeter()
    let presence = Protected<Attachment?>(nil)
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

    /// Opens an SQLite file, made where there is none. A store at a PostgreSQL server is opened by
    /// the product SluicePostgres: `open(postgres:)`.
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
