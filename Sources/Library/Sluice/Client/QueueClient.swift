import SluicePlatform

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
