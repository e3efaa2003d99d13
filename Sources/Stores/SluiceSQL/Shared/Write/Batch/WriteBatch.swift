package import SluiceModel
package import SluiceStore
import SluiceSystem

/// The connection that writes, and how several bodies share one commit of it.
package final class WriteBatch {
    /// The maximum number of bodies in one commit.
    package static let bodyLimit = 256
    /// The time after which remaining bodies go to the next commit.
    package var nanosecondLimit: UInt64 = 20_000_000

    private let connection: any TableConnection
    private let lock: any WriteLock
    private let session: TableWriter
    private var newDurability: StoreRecord.Durability?

    /// A batch over a connection that is the writer's alone. `liveness` finds living processes, for
    /// connections with offers (A1).
    package init(
        _ connection: any TableConnection, lock: any WriteLock, settingsCache: SettingsCache,
        liveness: Liveness? = nil
    ) {
        self.lock = lock
        session = TableWriter(connection, settingsCache: settingsCache)
        self.connection = session.connection
        session.liveness = liveness
    }

    /// Returns bodies that arrived since, up to `limit`.
    package typealias Latecomers = (_ limit: Int) -> [any WriteJob]

    /// Runs bodies from the front, up to the limits of one commit, and delivers their results.
    /// Returns their number. Bodies that arrive while it waits for its turn or runs others join
    /// `jobs`.
    package func commit(
        _ jobs: inout [any WriteJob], late: Latecomers = { _ in [] }
    ) -> Int {
        let first = commitOnce(&jobs, mayJoin: true, late)
        // The database refused a value: one body after the other shows whose it is.
        let oneByOne =
            first.failure != nil && (first.done > 1 || first.hasJoined) && connection.isOwnFailure
        for job in jobs.prefix(first.done) {
            var alone = [job]
            job.finish(
                oneByOne
                    ? commitOnce(&alone, mayJoin: false) { _ in [] }.failure : first.failure)
        }
        return first.done
    }

    /// The end of a commit: the number of its bodies, why it failed, and whether rows of the inbox
    /// were part of it.
    private typealias Ended = (done: Int, failure: QueueError?, hasJoined: Bool)

    private func commitOnce(
        _ jobs: inout [any WriteJob], mayJoin: Bool, _ late: Latecomers
    ) -> Ended {
        let hasJoined: Bool
        do {
            let isShared = jobs.count > 1
            session.expected = ExpectedReads()
            for job in jobs { session.expected.add(job.expected) }
            hasJoined = try lock.begin(session, isShared: isShared, mayJoin: mayJoin)
            try session.readPrefetched()
            if isShared || lock.mayBeSharedLater { jobs += late(Self.bodyLimit - jobs.count) }
        } catch {
            _ = undo(.rollback)
            return (jobs.count, error, false)
        }
        defer { lock.ended() }
        let before = connection.totalChanges
        var done = 0
        var failure: QueueError?
        if jobs.count == 1, !hasJoined, let job = jobs.first {
            done = 1
            failure = runAlone(job)
        } else {
            (done, failure) = runTogether(&jobs, late)
        }
        if failure == nil { failure = end { hasJoined || connection.totalChanges != before } }
        return (done, failure, hasJoined)
    }

    /// A single body needs no savepoint: a rollback of the transaction reverts it.
    private func runAlone(_ job: any WriteJob) -> QueueError? {
        if run(job, settles: false) { return nil }
        return undo(.rollback)
    }

    private func runTogether(
        _ jobs: inout [any WriteJob], _ late: Latecomers
    ) -> (Int, QueueError?) {
        let deadline = SystemClock.monotonicNanoseconds() + nanosecondLimit
        var done = 0
        while done < jobs.count {
            let job = jobs[done]
            done += 1
            do {
                try connection.control(.savepoint)
                let savepoint = session.savepoint()
                if !run(job, settles: true) {
                    if !connection.isInTransaction {
                        return (done, undo(.rollback) ?? connection.endedTransaction)
                    }
                    try connection.control(.rollbackToSavepoint)
                    session.restore(savepoint)
                }
                try connection.control(.release)
                if SystemClock.monotonicNanoseconds() > deadline { break }
                if done == jobs.count { jobs += late(Self.bodyLimit - jobs.count) }
            } catch {
                _ = undo(.rollback)
                return (done, error)
            }
        }
        return (done, nil)
    }

    private func run(_ job: any WriteJob, settles: Bool) -> Bool {
        connection.clearChangeFailure()
        session.newDurability = nil
        let isDone = job.run(session, settles: settles)
        if isDone, let durability = session.newDurability { newDurability = durability }
        return isDone
    }

    private func end(_ isChanged: () -> Bool) -> QueueError? {
        guard connection.isInTransaction else { return nil }
        let hasChanges: Bool
        do throws(QueueError) {
            connection.clearChangeFailure()
            try session.writeCounts()
            hasChanges = isChanged()
            try connection.commit(keeping: hasChanges)
        } catch {
            return undo(.rollback) ?? error
        }
        session.rest()
        if hasChanges { lock.committed() }
        return applyDurability()
    }

    /// A database takes another level only between transactions.
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

    private func undo(_ step: TransactionStep) -> QueueError? {
        session.forget()
        session.kept?.drop()
        guard connection.isInTransaction else { return nil }
        do {
            try connection.control(step)
            return nil
        } catch {
            return error
        }
    }
}

extension QueueError {
    /// There is no room for what a commit would keep.
    package static func diskFull(_ place: String) -> QueueError {
        QueueError(
            .diskFull, "the disk of \(place) is full, so nothing was changed",
            fix: "make room and repeat it")
    }
}
