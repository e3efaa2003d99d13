import SluiceCSQLite
package import SluiceModel
package import SluiceStore
import SluiceSystem

/// A store in an SQLite file: the default engine.
///
/// A folder next to the file holds the locks and the notice of its processes. Close or release the
/// store to end its threads and connections.
package final class SQLiteStore: QueueStore {
    /// `sqlite`.
    package let kind = "sqlite"
    /// The given path.
    package let name: String
    /// Whether it refuses every change (D11).
    package let isReadOnly: Bool
    /// The folder for locks and notices, `<path>-run`; a store that is only read may have none yet.
    package let runFolder: String?

    /// The version that this program works with.
    package var schemaVersion: Int? { Schema.version }
    /// The older version that opening it changed.
    package let upgradedFrom: Int?
    /// The maintenance of its file.
    package let upkeep: (any StoreUpkeep)?

    private let readers: ReaderPool
    private let commits: GroupCommit?
    /// `nil` if the store ignores the inbox.
    private let probe: InboxProbe?

    init(_ opened: StoreOpening.Opened, clock: (@Sendable () -> Timestamp)?) {
        name = opened.path
        upgradedFrom = opened.upgradedFrom
        isReadOnly = opened.writer == nil
        runFolder = RunFolder.path(of: opened.path)
        upkeep = FileUpkeep(path: opened.path)
        let bodies = BodyThreads()
        let (file, openReader) = (OpenedFile(opened.path), opened.openReader)
        readers = ReaderPool(
            name: name, bodies: bodies,
            check: { () throws(QueueError) in try file.check() },
            open: { () throws(QueueError) in try openReader() })
        if let reader = opened.reader { readers.adopt(reader) }
        probe = clock.map { _ in InboxProbe(opened.openReader) }
        commits = opened.writer.map { writer in
            let folder = opened.runFolder
            return GroupCommit(
                name: opened.path, bodies: bodies,
                batch: WriteBatch(
                    writer, clock: clock, liveness: folder.flatMap { Reaper.liveness($0.path) }
                ) { folder?.notify() })
        }
    }

    deinit { close() }

    /// Opens the store at `path`.
    ///
    /// `createIfMissing` creates the file, or adds Sluice's tables to an application's SQLite file.
    /// `durability` matters only then (P1). So does `place`: a file created by root belongs to the
    /// owner of `place`. `faults` make chosen writes fail, for tests. `clock` gives the time for
    /// taking in inbox rows (T4); `nil` ignores the inbox. Throws `noStore`, `notAStore`,
    /// `newerSchema` (P4), `damagedStore` (P3), `denied`, `readOnly`, `storeBusy` or `diskFull`; an
    /// error changes nothing.
    package static func open(
        path: String, readOnly: Bool = false, createIfMissing: Bool = false,
        durability: StoreRecord.Durability = .full, ofOwnerOf place: String? = nil,
        faults: WriteFaults? = nil,
        clock: (@Sendable () -> Timestamp)? = {
            Timestamp(milliseconds: SystemClock.nowMilliseconds())
        }
    ) throws(QueueError) -> SQLiteStore {
        let opening = StoreOpening(
            path: path, createIfMissing: createIfMissing && !readOnly, durability: durability,
            faults: faults, ownerPlace: place)
        let opened = readOnly ? try opening.forReading() : try opening.forWriting()
        let store = SQLiteStore(opened, clock: clock)
        if opened.lacksFailures { try store.countFailures() }
        return store
    }

    /// Speeds up SQLite in Sluice's own program. Call it before opening any store. Applications
    /// must not: it disables SQLite features such as `sqlite3_memory_used`.
    package static func ownsProgram() {
        // A later call fails and changes nothing.
        _ = csq_keep_no_statistics()
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

    /// Runs `body` on the writer's thread, in a commit that it may share with others (P1).
    package func write<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreWriter) throws -> Value
    ) async throws -> Value {
        guard let commits else { throw QueueError.readOnlyStore(name) }
        return try await commits.write(body)
    }

    /// `write` for a caller that may block: on its own thread if no other thread writes. Throws
    /// inside a body of this store.
    package func writeBlocking<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreWriter) throws -> Value
    ) throws -> Value {
        guard let commits else { throw QueueError.readOnlyStore(name) }
        return try commits.writeBlocking(body)
    }

    /// Notifies of every Sluice commit, of application commits with inbox rows, and of every
    /// released lock file in the run folder. A caller that then checks a lock must not open it for
    /// writing, or it causes another notice.
    package func observe(
        at throttle: ReadThrottle?, _ notify: @escaping @Sendable () -> Void
    ) throws -> any StoreObservation {
        try CommitWatch(store: name, probe: probe, throttle: throttle, notify)
    }

    /// Ends threads and connections after the bodies that run; later calls throw `noStore`.
    package func close() {
        readers.close()
        probe?.close()
        commits?.close()
    }
}
