import SluiceModel
import SluiceStore
import SluiceSystem

/// How the writer of a file takes its turn: it lets others at the file, looks that it is still
/// there, and first takes in what applications left.
final class FileWriteLock: WriteLock {
    private let connection: Connection
    private let file: OpenedFile
    private let mark: DamageMark
    private let clock: (@Sendable () -> Timestamp)?
    private let tell: () -> Void
    private var fairness = LockFairness(timeoutMilliseconds: 30)
    private var begunNanoseconds: UInt64 = 0
    /// As of when the session knows the tables.
    private var knownVersion: Int64?

    /// `committed` runs after each commit with changes. `clock` gives the time for taking in inbox
    /// rows; `nil` ignores the inbox.
    init(
        _ connection: Connection, clock: (@Sendable () -> Timestamp)? = nil,
        committed: @escaping () -> Void
    ) {
        self.connection = connection
        file = OpenedFile(connection.path)
        mark = DamageMark(connection.path)
        self.clock = clock
        tell = committed
    }

    /// Begins a transaction with an empty inbox. Earlier separate commits take in its rows, so that
    /// these stay if later work fails (T4).
    func begin(
        _ session: TableWriter, isShared: Bool, mayJoin: Bool
    ) throws(QueueError) -> Bool {
        while true {
            connection.relieve()
            letOthersWrite()
            try connection.beginWriting(withSavepoints: isShared)
            begunNanoseconds = SystemClock.monotonicNanoseconds()
            try file.check()
            try mark.check()
            try lookAround(session)
            guard let clock, try takeIn(session, at: clock) else { return false }
            try connection.commit(keeping: true)
            ended()
            tell()
        }
    }

    var mayBeSharedLater: Bool { false }

    func committed() { tell() }

    func ended() {
        fairness.held(from: begunNanoseconds, to: SystemClock.monotonicNanoseconds())
    }

    /// Clears the session's caches if another connection has written since.
    private func lookAround(_ session: TableWriter) throws(QueueError) {
        let version = try connection.dataVersion()
        if version == knownVersion { return }
        session.forget()
        try checkTables()
        knownVersion = version
    }

    /// Throws `newerSchema` if another program has upgraded the tables to an incompatible version
    /// since (P4).
    private func checkTables() throws(QueueError) {
        let statement = try connection.prepare(Self.oldest)
        defer { statement.reset() }
        guard try statement.next(), statement.integer(0) > Int64(Schema.version) else { return }
        throw SQLiteFailure.newerSchema(connection.path, version: nil)
    }

    private static let oldest = Query("SELECT oldest FROM sluice_schema")

    /// Who waits and lets it be seen goes first; for other programs it rests now and then.
    private func letOthersWrite() {
        let now = SystemClock.monotonicNanoseconds()
        if fairness.isDue(before: now), connection.isWaitedFor {
            let end = now + Self.longestWayNanoseconds
            repeat {
                Thread.pause(microseconds: Self.lookMicroseconds)
            } while connection.isWaitedFor && SystemClock.monotonicNanoseconds() < end
            fairness.rested()
            return
        }
        let rest = fairness.rest(before: now)
        // A rest that fails is a short one.
        if rest > 0 { _ = try? Poll.wait(fds: [], timeoutMilliseconds: rest) }
    }

    /// One that waits looks once in 0.6 ms; several may.
    private static let longestWayNanoseconds: UInt64 = 5_000_000
    private static let lookMicroseconds: UInt32 = 50

    /// Takes in a slice; false when there was nothing.
    private func takeIn(
        _ session: TableWriter, at clock: () -> Timestamp
    ) throws(QueueError) -> Bool {
        connection.clearChangeFailure()
        do {
            guard try session.hasFreshInbox() else { return false }
            let entries = try session.inboxEntries(limit: TableWriter.inboxSlice)
            guard !entries.isEmpty else { return false }
            try session.takeIn(entries, at: clock())
            try session.writeCounts()
        } catch {
            throw error as? QueueError ?? SQLiteFailure.damaged(connection.path, "\(error)")
        }
        return true
    }
}

extension WriteBatch {
    /// A batch over a connection to a file.
    convenience init(
        _ connection: Connection, clock: (@Sendable () -> Timestamp)? = nil,
        liveness: Liveness? = nil, committed: @escaping () -> Void
    ) {
        self.init(
            connection,
            lock: FileWriteLock(
                connection, clock: clock, committed: committed),
            settingsCache: SettingsCache(), liveness: liveness)
    }
}
