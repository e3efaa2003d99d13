import SluiceControl
import SluiceModel
import SluiceStore

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
