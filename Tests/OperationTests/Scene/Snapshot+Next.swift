import SluiceModel

/// The reference for what starts next, from values alone.
extension Snapshot {
    /// The blockers that do not change which task is next.
    static let hiddenOfNext: Set<Blocker.Kind> = [.queuePaused, .noRun, .noSlot, .rate]

    /// The types whose concurrency limit is reached (Q14).
    var fullTypes: Set<String> {
        let taken = tasks.filter { $0.running != nil || $0.waiting?.isOrphaned == true }
        return Set(
            queue.settings.types.compactMap { type, own in
                own.concurrency.flatMap { limit in
                    taken.count { $0.type == type } >= limit ? type : nil
                }
            })
    }

    /// The task that starts next; `nil` if none can.
    var next: QueueTask? {
        let full = fullTypes
        let hasNoRunner = !processes.contains { $0.isWorking }
        var plain = self
        plain.permitted = []
        let able = plain.waitingInOrder.filter { task in
            !full.contains(task.type)
                && plain.blockers(of: task).allSatisfy {
                    Self.hiddenOfNext.contains($0.kind) || $0.kind == .noRunner && hasNoRunner
                }
        }
        // A rate of the queue delays all tasks; with one for each key another goes first.
        return able.first { task in
            queue.settings.rate?.per == nil
                || !plain.blockers(of: task).contains { $0.kind == .rate }
        } ?? able.first
    }
}
