import SluiceControl
import SluiceModel
import SluiceStore
import SluiceSystem

/// The move of one queue from one store to another (D13): pause, copy, compare, open.
///
/// The pauses of both queues record the progress, so another process can continue after a kill. The
/// source is `moving`, then `moved`; the target is `moving` until it is complete.
struct QueueMove {
    /// The progress of the queue in both stores before this move.
    enum Standing {
        case ready, movedBefore
    }

    let order: StoreCopy
    let name: String
    let identities: CopyIdentities
    let progress: CopyProgress
    var source: any QueueStore { order.source.store }
    var target: any QueueStore { order.target.store }
    var now: Timestamp { order.source.now() }
    private var person: String { order.source.person }

    private static let looksLimit = 8

    init(
        _ order: StoreCopy, _ name: String, _ identities: CopyIdentities,
        _ progress: CopyProgress
    ) {
        (self.order, self.name) = (order, name)
        (self.identities, self.progress) = (identities, progress)
    }

    /// Moves the queue. An error of this queue alone skips it; an error of a store is thrown and
    /// ends the whole copy. In both cases work continues at the source.
    func perform() throws -> CopiedQueue {
        do {
            guard try standing() == .ready else { return try bringLate() }
        } catch {
            return try skipped(error)
        }
        let last = try pauseSource()
        do {
            try waitForEnds()
            return try move(last)
        } catch {
            try release(because: error)
            return try skipped(error)
        }
    }

    /// Errors of a whole store, which affect the other queues too.
    private static let ofStore: Set<QueueError.Code> = [
        .storeBusy, .readOnly, .diskFull, .serverGone, .denied, .damagedStore, .noStore,
        .notAStore, .newerSchema,
    ]

    private func skipped(_ error: any Error) throws -> CopiedQueue {
        guard let error = error as? QueueError, !Self.ofStore.contains(error.code) else {
            throw error
        }
        var queue = CopiedQueue(name: name)
        queue.outcome = .skipped(error)
        return queue
    }

    /// Throws `notLegal` if the queue cannot be moved.
    func standing() throws -> Standing {
        let name = name
        let (move, here) = try source.readBlocking { reader in
            (try reader.requireQueue(name).move, try reader.storeRecord().identity)
        }
        let (there, count) = try target.readBlocking { reader in
            let counts = try reader.counts(queue: name).states.values
            return (try reader.queue(named: name), counts.reduce(0, +))
        }
        if let move, move.otherStore != identities.target {
            throw QueueError.notLegal(
                "\(name) is \(move.reason ?? move.cause.rawValue), so it is not moved from here",
                fix: "sluice \(ShellWord.command("resume", name)) makes it "
                    + "\(source.name)'s own again")
        }
        let isCopy = there?.move?.otherStore == here
        guard move?.cause == .moved, !isCopy else {
            guard isCopy || count == 0 else {
                throw QueueError.notLegal(
                    "\(target.name) has a queue \(name) of its own, with \(count) tasks",
                    fix: "leave it out with --queues, or import its tasks instead")
            }
            return .ready
        }
        guard there != nil else {
            throw QueueError.notLegal(
                "\(name) was moved before, and is no longer in \(target.name)",
                fix: "sluice \(ShellWord.command("resume", name)) makes it "
                    + "\(source.name)'s own again")
        }
        return .movedBefore
    }

    /// Copies tasks that arrived at the source after the move.
    private func bringLate() throws -> CopiedQueue {
        let late = StoreSource(source, format: .sqlite, queue: name, now: now)
        let report = try TransferImport(order.target).run(late)
        var queue = CopiedQueue(name: name)
        queue.outcome = .movedBefore
        queue.late = report.added
        if let error = report.error ?? report.refused.first?.error { throw error }
        return queue
    }

    private func move(_ last: TaskID) throws -> CopiedQueue {
        var queue = CopiedQueue(name: name)
        var looks = 0
        while looks < Self.looksLimit {
            looks += 1
            let mark = try sourceMark()
            try prepareTarget(mark.queue, last: last)
            var look = QueueLook(self, isFirst: looks == 1)
            try look.run()
            guard look.isEqual, try close(mark) else { continue }
            queue.outcome = order.staysInSource ? .copied : .moved
            queue.tasks = look.count
            queue.renumbered = look.renumbered
            queue.digest = look.digest
            queue.looks = looks
            return queue
        }
        throw QueueError(
            .changed, "\(name) was not the same in both stores after \(Self.looksLimit) looks",
            fix: "do not change its tasks, then copy again")
    }

    /// Waits until no task of the queue runs, up to the limit.
    private func waitForEnds() throws {
        let gate = NoticeGate()
        let observation = try source.observe { gate.open() }
        defer { withExtendedLifetime(observation) {} }
        let end =
            SystemClock.monotonicNanoseconds() + UInt64(min(order.waitMilliseconds, 1 << 40))
            * 1_000_000
        while let running = try firstRunning() {
            try progress.ask()
            let moment = SystemClock.monotonicNanoseconds()
            guard moment < end else {
                throw QueueError.notLegal(
                    "#\(running) of \(name) still runs after "
                        + DurationText.short(order.waitMilliseconds),
                    fix: "copy again when it has ended, with a longer --wait, or cancel it")
            }
            // A second at most, for the one who stops it.
            gate.wait(until: min(end, moment + 1_000_000_000))
        }
        try source.workOffWakesBlocking(now: now)
    }

    /// A running task, or one with a lingering attempt (B12).
    private func firstRunning() throws -> TaskID? {
        let name = name
        return try source.readBlocking { reader in
            let query = TaskQuery(queue: name, state: .running, limit: 1)
            if let task = try reader.tasks(matching: query).first { return task.id }
            for (waitFlags, count) in try reader.counts(queue: name).waitingByFlags
            where waitFlags.contains(.lingering) && count > 0 {
                let query = TaskQuery(queue: name, waitFlags: waitFlags, limit: 1)
                if let task = try reader.tasks(matching: query).first { return task.id }
            }
            return nil
        }
    }

    /// A pause that says which store has the queue.
    func pause(_ cause: Pause.Cause, _ reason: String, other: String) -> Pause {
        var pause = Pause(
            cause: cause, by: person, reason: reason, since: now, direction: .both)
        pause.otherStore = other
        return pause
    }
}

/// The state of a queue at the source at one moment.
struct SourceMark: Sendable {
    var queue: QueueRecord
    var counts: QueueCounts
    var journal: Int64
    /// The pauses that hold for the whole store.
    var storePauses: [Pause]
}

/// The commits at both ends of a move.
extension QueueMove {
    /// Stops the queue at the source for work and for enqueues; gives the last number in use there.
    func pauseSource() throws -> TaskID {
        let (name, now) = (name, now)
        let pause = pause(.moving, "moving to \(target.name)", other: identities.target)
        return try source.transactBlocking(at: now) { mutation in
            let store = mutation.store
            if try mutation.queue(name).move == nil {
                try mutation.addPause(pause, to: name)
                try store.append([Self.event(name, now, pause.by, "is \(pause.reason ?? "")")])
            }
            let permits = try store.permits().filter { $0.queue == name }
            try store.removePermits(permits.map(\.id))
            return try store.reserveTaskIDs(0) - 1
        }
    }

    /// Ends the move at the source, so that work continues there. Leaves a queue that the target
    /// has already opened.
    func release(because error: any Error) throws {
        let (name, now, other, person) = (name, now, identities.target, order.source.person)
        let why = error is CopyStop ? "it was stopped" : QueueError(ofCopy: error).message
        do {
            try source.transactBlocking(at: now) { mutation in
                let store = mutation.store
                guard let move = try mutation.queue(name).move, move.cause == .moving,
                    move.otherStore == other
                else { return }
                try mutation.changeQueue(name) { $0.pauses.removeAll { $0 == move } }
                try store.append([Self.event(name, now, person, "was not moved: \(why)")])
            }
        } catch let second {
            let first = QueueError(ofCopy: error)
            throw QueueError(
                first.code,
                "\(first.message); and \(name) stays paused: "
                    + QueueError(ofCopy: second).message, fix: first.fix)
        }
    }

    /// The current state of the queue. Runs expiry and housekeeping first, so that both stores do
    /// not do it separately.
    func sourceMark() throws -> SourceMark {
        let (name, now) = (name, now)
        return try source.transactBlocking(at: now) { mutation in
            let store = mutation.store
            try mutation.expireTasks()
            try mutation.housekeep()
            return SourceMark(
                queue: try store.requireQueue(name), counts: try store.counts(queue: name),
                journal: try store.journal(JournalQuery(limit: 1)).last?.sequence ?? 0,
                storePauses: try store.storeRecord().pauses)
        }
    }

    /// Creates the paused queue at the target, or updates it to the source's current settings.
    func prepareTarget(_ there: QueueRecord, last: TaskID) throws {
        let (name, now, here) = (name, order.target.now(), identities.source)
        let pause = pause(.moving, "on its way from \(source.name)", other: here)
        try target.transactBlocking(at: now) { mutation in
            let store = mutation.store
            try mutation.keepNumbers(for: here, through: last)
            if try store.queue(named: name) == nil {
                try store.put(QueueRecord(name: name, createdAt: there.createdAt))
            }
            if try mutation.queue(name).move == nil { try mutation.addPause(pause, to: name) }
            try mutation.changeQueue(name) { queue in
                queue.settings = there.settings
                (queue.lastRunEnd, queue.barrenRuns) = (there.lastRunEnd, there.barrenRuns)
                (queue.paidUp, queue.paidKeys) = (there.paidUp, there.paidKeys)
            }
        }
    }

    /// Ends the move at the source if nothing changed since the mark; false after a change.
    func close(_ mark: SourceMark) throws -> Bool {
        let (name, now, other, stays) = (name, now, identities.target, order.staysInSource)
        let moved = pause(.moved, "moved to \(target.name)", other: other)
        if stays { try openTarget(with: mark) }
        let isClosed = try source.transactBlocking(at: now) { mutation in
            let store = mutation.store
            let queue = try mutation.queue(name)
            guard let move = queue.move, move.otherStore == other else {
                throw QueueError(
                    .changed, "\(name) was resumed while it was copied",
                    fix: "its copy stays paused; copy again")
            }
            var query = JournalQuery(limit: 1)
            (query.queue, query.after) = (name, mark.journal)
            guard queue.version == mark.queue.version,
                try store.counts(queue: name).states == mark.counts.states,
                try store.journal(query).isEmpty
            else { return false }
            try mutation.changeQueue(name) { queue in
                queue.pauses.removeAll { $0 == move }
                if !stays { queue.pauses.append(moved) }
            }
            let text = stays ? "was copied" : "is \(moved.reason ?? "")"
            try store.append([Self.event(name, now, moved.by, text)])
            return true
        }
        if isClosed, !stays { try openTarget(with: mark) }
        return isClosed
    }

    /// Opens the complete queue at the target, or keeps it paused if the source continues. Copies
    /// the pauses of people and handlers.
    private func openTarget(with mark: SourceMark) throws {
        let (name, now, here) = (name, order.target.now(), identities.source)
        let rest = pause(
            .moved, "copied from \(source.name), which continues", other: here)
        let stays = order.staysInSource
        try target.transactBlocking(at: now) { mutation in
            let store = mutation.store
            try mutation.changeQueue(name) { queue in
                queue.pauses.removeAll { $0.otherStore == here }
                if stays { queue.pauses.append(rest) }
                for pause in mark.carried { queue.pauses = queue.pauses.adding(pause, at: now) }
            }
            let count = NumberText.tasks(mark.counts.states.values.reduce(0, +))
            try store.append([Self.event(name, now, rest.by, "has \(count) copied")])
        }
    }

    private static func event(
        _ queue: String, _ now: Timestamp, _ person: String, _ text: String
    ) -> JournalEvent {
        JournalEvent(
            at: now, kind: "copy", queue: queue, task: nil, by: person,
            text: "\(queue) \(text), by \(person)")
    }
}

extension SourceMark {
    /// The pauses that hold at the target too; one of the whole store becomes the queue's own.
    fileprivate var carried: [Pause] {
        let own = queue.pauses.filter { [.person, .handler, .required].contains($0.cause) }
        return own
            + storePauses.map { pause in
                var pause = pause
                pause.cause = .person
                return pause
            }
    }
}
