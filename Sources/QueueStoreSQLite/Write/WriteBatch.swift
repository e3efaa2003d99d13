import Platform
import QueueModel
import QueueStore

/// The connection that writes, and how several bodies share one commit of it.
final class WriteBatch {
    /// So many bodies share one commit at most.
    static let bodyLimit = 256
    private static let nanosecondLimit: UInt64 = 20_000_000

    private let connection: Connection
    private let file: OpenedFile
    private let settingsCache = SettingsCache()
    private let clock: (@Sendable () -> Timestamp)?
    private let committed: () -> Void
    private var newDurability: StoreRecord.Durability?
    private var courtesy = WriterCourtesy()
    private var begunNanoseconds: UInt64 = 0

    /// `committed` is called after each commit that changed something; `clock` tells when what lay
    /// in the inbox was taken in, nil leaves it alone.
    init(
        _ connection: Connection, clock: (@Sendable () -> Timestamp)? = nil,
        committed: @escaping () -> Void
    ) {
        self.connection = connection
        file = OpenedFile(connection.path)
        self.clock = clock
        self.committed = committed
    }

    /// Runs bodies from the front, as many as fit in one commit, and tells them of it; returns how
    /// many.
    func commit(_ jobs: ArraySlice<any WriteJob>) -> Int {
        do {
            try begin()
        } catch {
            _ = undo(Connection.Control.rollback)
            for job in jobs { job.finish(error) }
            return jobs.count
        }
        defer { noteHeld() }
        let before = connection.totalChanges
        var done = 0
        var failure: QueueError?
        if jobs.count == 1, let job = jobs.first {
            done = 1
            failure = runAlone(job)
        } else {
            (done, failure) = runTogether(jobs)
        }
        if failure == nil { failure = end(hasChanges: connection.totalChanges != before) }
        for job in jobs.prefix(done) { job.finish(failure) }
        return done
    }

    /// Begins a transaction in which nothing lies in the inbox any more: it is taken in before, in
    /// commits of its own, so that it stays when what follows fails (T4).
    private func begin() throws(QueueError) {
        while true {
            letOthersWrite()
            try connection.control(Connection.Control.beginImmediate)
            begunNanoseconds = SystemClock.monotonicNanoseconds()
            try file.check()
            guard let clock, try takeIn(at: clock) else { return }
            try connection.commit(keeping: true)
            noteHeld()
            committed()
        }
    }

    private func letOthersWrite() {
        let rest = courtesy.rest(before: SystemClock.monotonicNanoseconds())
        // A rest that fails is a short one.
        if rest > 0 { _ = try? Poll.wait(fds: [], timeoutMilliseconds: rest) }
    }

    private func noteHeld() {
        courtesy.held(from: begunNanoseconds, to: SystemClock.monotonicNanoseconds())
    }

    /// Takes in a slice; false when there was nothing.
    private func takeIn(at clock: () -> Timestamp) throws(QueueError) -> Bool {
        connection.clearChangeFailure()
        let session = WriteSession(connection, settingsCache: settingsCache)
        do {
            guard try session.hasFreshInbox() else { return false }
            let mutation = Mutation(session, now: clock())
            guard try mutation.takeIn(from: session) else { return false }
            try mutation.finish()
            try session.finish()
        } catch {
            throw error as? QueueError ?? SQLiteFailure.damaged(connection.path, "\(error)")
        }
        if let failure = connection.changeFailure { throw failure }
        return true
    }

    /// A body without company needs no savepoint: what it did goes with the transaction.
    private func runAlone(_ job: any WriteJob) -> QueueError? {
        if run(job) { return nil }
        return undo(Connection.Control.rollback)
    }

    private func runTogether(_ jobs: ArraySlice<any WriteJob>) -> (Int, QueueError?) {
        let deadline = SystemClock.monotonicNanoseconds() + Self.nanosecondLimit
        var done = 0
        for job in jobs {
            done += 1
            do {
                try connection.control(Connection.Control.savepoint)
                if !run(job) {
                    if !connection.isInTransaction {
                        return (done, .diskFull(connection.path))
                    }
                    try connection.control(Connection.Control.rollbackToSavepoint)
                }
                try connection.control(Connection.Control.release)
            } catch {
                _ = undo(Connection.Control.rollback)
                return (done, error)
            }
            if SystemClock.monotonicNanoseconds() > deadline { break }
        }
        return (done, nil)
    }

    private func run(_ job: any WriteJob) -> Bool {
        connection.clearChangeFailure()
        let session = WriteSession(connection, settingsCache: settingsCache)
        let isDone = job.run(session)
        if isDone, let durability = session.newDurability { newDurability = durability }
        return isDone
    }

    private func end(hasChanges: Bool) -> QueueError? {
        guard connection.isInTransaction else { return nil }
        do {
            try connection.commit(keeping: hasChanges)
        } catch {
            return undo(Connection.Control.rollback) ?? error
        }
        if hasChanges { committed() }
        return applyDurability()
    }

    /// SQLite takes another level only between transactions.
    private func applyDurability() -> QueueError? {
        guard let durability = newDurability else { return nil }
        newDurability = nil
        do {
            try connection.set(durability)
            return nil
        } catch {
            return error
        }
    }

    private func undo(_ query: Query) -> QueueError? {
        guard connection.isInTransaction else { return nil }
        do {
            try connection.control(query)
            return nil
        } catch {
            return error
        }
    }
}

extension QueueError {
    static func diskFull(_ path: String) -> QueueError {
        QueueError(
            .diskFull, "the disk of \(path) is full, so nothing was changed",
            fix: "make room and repeat it")
    }
}
