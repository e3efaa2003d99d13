import SluiceModel

/// The automatic cleanup of a store (Q9, D9).
extension Mutation {
    /// The time that tasks stay in the trash.
    package static let trashMilliseconds: Int64 = 7 * 86_400_000
    /// The time that journal lines are kept beyond the newest `journalLines`. Attempts are kept
    /// while they are among those.
    package static let journalMilliseconds: Int64 = 7 * 86_400_000
    /// The number of journal lines that are always kept.
    package static let journalLines = 1_000_000
    private static let slice = 1000

    /// Removes expired tasks: finished, given up or in the trash. Also removes old journal lines,
    /// and attempts beyond `lines` entries at any age. Handles at most 1,000 of each kind per queue
    /// and commit, and returns whether more may remain. Keeps starts that hold members (Q10) and
    /// tasks that a session has not collected (S4).
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

    /// The oldest ended tasks of a queue that may be removed. Tasks that must stay do not hide the
    /// others.
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

    /// Whether an ended task is no longer needed.
    func mayForget(_ task: QueueTask) throws -> Bool {
        guard !task.isAwaited else { return false }
        guard task.holdsMembers, let group = task.groupStart else { return true }
        return try store.tasks(
            .waitingMembers(queue: task.queue, group: group, after: task.position), limit: 1
        ).isEmpty
    }
}
