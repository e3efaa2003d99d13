import SluiceModel

/// What a store forgets by itself, and when (Q9, D9).
extension Mutation {
    /// How long the trash is kept.
    package static let trashMilliseconds: Int64 = 7 * 86_400_000
    /// How long lines of the journal are kept, where it has more than `journalLines`; executions
    /// are kept for as long as they are among those.
    package static let journalMilliseconds: Int64 = 7 * 86_400_000
    /// How many lines of the journal are kept in any case.
    package static let journalLines = 1_000_000
    private static let slice = 1000

    /// Forgets what has been kept for its time: finished tasks, given-up ones, the trash, and of
    /// the journal old lines and, whatever their age, executions beyond `lines` entries; at most
    /// 1,000 of each kind in a queue and commit. Says whether there may be more. A start that holds
    /// members stays (Q10), and so does what a session has not heard of (S4).
    @discardableResult
    package func housekeep(lines: Int = Mutation.journalLines) throws -> Bool {
        var isCut = false
        try forgetEnded()
        for queue in try store.queues() {
            var kept: [(TaskState.Name, Int64?)] = [
                (.failed, queue.settings.retentionMilliseconds),
                (.deleted, Self.trashMilliseconds),
            ]
            if case .milliseconds(let time) = queue.settings.keepFinished {
                kept.append((.succeeded, time))
            }
            for (state, time) in kept {
                guard let time, try store.counts(queue: queue.name)[state] > 0 else { continue }
                let gone = try forgettable(queue.name, state, before: real + -time)
                if !gone.isEmpty { try store.remove(gone) }
                isCut = isCut || gone.count == Self.slice
            }
        }
        let trimmed = try store.trimJournal(
            before: real + -Self.journalMilliseconds, executionsBefore: real, keeping: lines,
            limit: Self.slice)
        return isCut || trimmed == Self.slice
    }

    /// The oldest ended tasks of a queue that may go; those that must stay do not hide the others.
    private func forgettable(
        _ queue: String, _ state: TaskState.Name, before moment: Timestamp
    ) throws -> [TaskID] {
        var limit = Self.slice
        while true {
            let old = try store.tasks(
                .ended(queue: queue, state: state, before: moment), limit: limit)
            let gone = try old.filter { try mayForget($0) }.map(\.id)
            if !gone.isEmpty || old.count < limit { return Array(gone.prefix(Self.slice)) }
            limit *= 4
        }
    }

    /// Whether nobody needs an ended task any more.
    func mayForget(_ task: QueueTask) throws -> Bool {
        guard !task.isAwaited else { return false }
        guard task.holdsMembers, let group = task.groupStart else { return true }
        return try store.tasks(
            .waitingMembers(queue: task.queue, group: group, after: task.position), limit: 1
        ).isEmpty
    }
}
