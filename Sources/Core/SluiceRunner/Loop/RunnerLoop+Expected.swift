import SluiceModel
import SluiceStore

/// What a commit of the runner reads first.
extension RunnerLoop {
    /// The tasks that ended, what expires, and of the queues from which it claimed last what comes
    /// next and what their limits of finished tasks remove.
    func expectedReads(_ completions: [Completion], _ claim: ClaimRequest?) -> ExpectedReads {
        var reads = ExpectedReads()
        // A file answers each read as quickly as all of them together.
        guard runner.store.isShared else { return reads }
        reads.add(completions.map(\.task))
        var process = attachment.process
        runner.servedRow.put(into: &process)
        for queue in claimedQueues {
            reads.add(.finished(of: queue), limit: completions.count)
            guard let claim, !runner.options.takesOnlyPermits else { continue }
            var query = TaskQuery(queue: queue, waitFlags: .ready, limit: claim.freeSlots)
            query.types = process.types(in: queue)
            reads.add(.page(query), limit: claim.freeSlots)
        }
        if claim != nil { reads.add(.expiring(), limit: 1) }
        return reads
    }

    /// The queues of some tasks; so many at most as are worth asking about ahead.
    static func queues(of claimed: [Claimed]) -> [String] {
        var names: [String] = []
        for name in claimed.lazy.map(\.task.queue) where !names.contains(name) {
            names.append(name)
            if names.count == expectedQueues { break }
        }
        return names
    }

    private static let expectedQueues = 16
}
