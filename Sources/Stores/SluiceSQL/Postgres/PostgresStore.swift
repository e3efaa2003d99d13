package import SluiceModel
package import SluiceStore
import SluiceSystem

/// A store in the schema `sluice` of a PostgreSQL database, for processes on many machines.
///
/// Lost connections are reopened on the next use. Close or release it to end its threads and
/// connections.
package final class PostgresStore: QueueStore {
    /// `postgresql`.
    package let kind = "postgresql"
    /// The given address without its password.
    package let name: String
    /// The version that this program works with.
    package var schemaVersion: Int? { ServerSchema.version }
    /// Whether it refuses every change (D11).
    package let isReadOnly: Bool
    /// A folder of this machine and user for the locks of the processes at this store; a store that
    /// is only read may have none yet.
    package let runFolder: String?

    package var isShared: Bool { true }

    /// The heartbeats of processes on other machines; `nil` for a read-only store.
    package var heartbeats: (any ProcessHeartbeats)? { heart }

    /// The older version of its tables that opening it changed.
    package let upgradedFrom: Int?
    /// The missing capability with a pooler in transaction mode.
    package let lack: StoreLack?

    /// The server's clock, so that all machines go by one (G3).
    package var clock: StoreClock? { serverClock }

    private let serverClock: StoreClock
    private let heart: ServerHeartbeats?
    private let settings: PostgresSettings
    private let schema: String
    private let readers: ReaderPool
    private let commits: GroupCommit?
    /// The commits of this store, and the round trips that they took.
    let commitCount = CommitCount()
    private let backoff: ReconnectBackoff
    private let own: OwnBackends

    private init(
        _ opened: ServerOpening.Opened, _ opening: ServerOpening, isReadOnly: Bool,
        heart: ServerHeartbeats?, runFolder: String?
    ) {
        self.heart = heart
        upgradedFrom = opened.upgradedFrom
        let (settings, schema, clock) = (opening.settings, opening.schema, opening.clock)
        serverClock = clock
        let own = opening.own
        self.own = own
        self.settings = settings
        self.schema = schema
        self.isReadOnly = isReadOnly
        self.runFolder = runFolder
        name = settings.name
        lack = opened.connection.isPooled ? Self.pooled : nil
        let (name, bodies, backoff) = (settings.name, BodyThreads(), ReconnectBackoff())
        let commitCount = commitCount
        self.backoff = backoff
        readers = ReaderPool(
            name: name, bodies: bodies,
            open: { () throws(QueueError) in
                let connection = ServerConnection(
                    settings, schema: schema, clock: clock, own: own)
                connection.commitCount = commitCount
                try backoff.attempt { () throws(QueueError) in try connection.connect() }
                return connection
            })
        opened.connection.commitCount = commitCount
        if isReadOnly {
            readers.adopt(opened.connection)
            commits = nil
        } else {
            let settingsCache = SettingsCache()
            commits = GroupCommit(
                name: name, bodies: bodies,
                batch: WriteBatch(
                    opened.connection,
                    lock: ServerWriteLock(
                        opened.connection, backoff: backoff, clock: clock),
                    settingsCache: settingsCache))
        }
    }

    private static let pooled = StoreLack(
        word: "pooled",
        sentence: "a pooler in transaction mode is before the server: commits of others are"
            + " found once a second instead of notified, and every statement is planned"
            + " anew; the server's own address is faster")

    deinit { close() }

    /// The shown name of the store at an address: without its password and other secrets.
    package static func shownName(_ address: String) -> String {
        PostgresSettings.withoutSecrets(address)
    }

    /// Removes secrets in addresses from this process's arguments, which `ps` shows to all users.
    /// Call once after reading the addresses.
    package static func hideSecretsInArguments() { PostgresArguments.hideSecrets() }

    /// Opens the store at an address (`postgres://…`, as libpq reads it).
    ///
    /// `createIfMissing` creates the schema and its tables; `durability` matters only then (P1).
    /// `schemaOwner` names the role that owns an existing schema, if this role is not a member of
    /// it. `faults` make chosen writes fail, for tests. Throws `noStore`, `notAStore`,
    /// `newerSchema` (P4), `serverGone`, `denied`, `readOnly`, `storeBusy`, `badValue` or
    /// `damagedStore`; no message contains a password.
    package static func open(
        address: String, readOnly: Bool = false, createIfMissing: Bool = false,
        durability: StoreRecord.Durability = .full, schemaOwner: String? = nil,
        faults: WriteFaults? = nil
    ) throws(QueueError) -> PostgresStore {
        try open(
            address: address, schema: ServerLocks.schema, readOnly: readOnly,
            createIfMissing: createIfMissing, durability: durability, schemaOwner: schemaOwner,
            faults: faults)
    }

    /// The same with another schema, named in lowercase letters and digits, so that tests can share
    /// a database, and with a separate folder for locks.
    package static func open(
        address: String, schema: String, machineFolder: String? = nil, readOnly: Bool = false,
        createIfMissing: Bool = false, durability: StoreRecord.Durability = .full,
        schemaOwner: String? = nil, faults: WriteFaults? = nil
    ) throws(QueueError) -> PostgresStore {
        let opening = ServerOpening(
            settings: PostgresSettings(address), schema: schema,
            createIfMissing: createIfMissing && !readOnly,
            durability: durability, faults: faults, clock: StoreClock(), schemaOwner: schemaOwner)
        if readOnly {
            let opened = try opening.forReading()
            return PostgresStore(
                opened, opening, isReadOnly: true, heart: nil,
                runFolder: machineFolder ?? MachineFolder.path(of: opened.identity))
        }
        let opened = try opening.forWriting()
        var folder = machineFolder ?? ""
        if machineFolder == nil { folder = try MachineFolder.prepare(opened.identity) }
        let heart = try ServerHeartbeats(
            opening.settings, schema: schema, clock: opening.clock, identity: opened.identity)
        let store = PostgresStore(
            opened, opening, isReadOnly: false, heart: heart, runFolder: folder)
        if opened.lacksFailures { try store.countFailures() }
        return store
    }

    /// Runs `body` in one transaction of a connection that reads, on a thread of the store's.
    package func read<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreReader) throws -> Value
    ) async throws -> Value {
        try await readers.read(body)
    }

    /// `read` on the caller's thread; refused inside a body of this store.
    package func readBlocking<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreReader) throws -> Value
    ) throws -> Value {
        try readers.run(body)
    }

    /// Runs `body` in a commit that it may share with others (P1): on the writer's thread, or on
    /// the thread of a caller whose commit still waits for its turn.
    package func write<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreWriter) throws -> Value
    ) async throws -> Value {
        guard let commits else { throw QueueError.readOnlyStore(name) }
        heart?.begin()
        return try await commits.write(body)
    }

    /// `write` for a caller that may block: on its own thread if no other thread writes. Throws
    /// inside a body of this store.
    package func writeBlocking<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreWriter) throws -> Value
    ) throws -> Value { try writeBlocking(expecting: ExpectedReads(), body) }

    /// The same for a body whose first reads come with the beginning of its commit.
    package func writeBlocking<Value: Sendable>(
        expecting expected: ExpectedReads,
        _ body: @escaping @Sendable (any StoreWriter) throws -> Value
    ) throws -> Value {
        guard let commits else { throw QueueError.readOnlyStore(name) }
        heart?.begin()
        return try commits.writeBlocking(expecting: expected, body)
    }

    /// Notifies of every commit of any process, of lost and restored connections, and of every
    /// released lock file on this machine.
    package func observe(
        at throttle: ReadThrottle?, _ notify: @escaping @Sendable () -> Void
    ) throws -> any StoreObservation {
        if let runFolder, !isReadOnly { try Files.makeDirectory(runFolder) }
        return try ServerWatch(
            settings, schema: schema, runFolder: runFolder, own: own, looking: throttle, notify)
    }

    /// Ends threads and connections after the bodies that run; later calls throw `noStore`.
    package func close() {
        heart?.end()
        readers.close()
        commits?.close()
    }
}
