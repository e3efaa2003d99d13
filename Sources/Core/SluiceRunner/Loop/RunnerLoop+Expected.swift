import SluiceModel
import SluiceStore

/// The reads that a commit of the runner performs first.
extension RunnerLoop {
    /// The ended and the expiring tasks. The queues of the last claim add their next tasks, and the
    /// finished tasks that their limits remove. The executions of `late` may end before the commit
    /// takes its lock.
    func expectedReads(
        _ completions: [Completion], _ claim: ClaimRequest?, _ late: LateEnds?
    ) -> ExpectedReads {
        var reads = ExpectedReads()
        // A file answers each read as quickly as all of them together.
        guard let late else { return reads }
        reads.add(completions.map(\.task) + late.expected.map(\.task))
        let ends = completions.count + late.expected.count
        var process = attachment.process
        runner.servedRow.put(into: &process)
        for queue in claimedQueues {
            reads.add(.finished(of: queue), limit: ends)
            guard let claim, !runner.options.takesOnlyPermits else { continue }
            let limit = claim.freeSlots + late.expected.count
            var query = TaskQuery(queue: queue, waitFlags: .ready, limit: limit)
            query.types = process.types(in: queue)
            reads.add(.page(query), limit: limit)
        }
        if claim != nil { reads.add(.expiring(), limit: 1) }
        if !machine.executions.isEmpty { reads.addLeases(of: process.id) }
        return reads
    }

    /// The ends that may come before a commit at a server takes its lock; `nil` for a file, which
    /// takes its lock in microseconds.
    func lateEnds() -> LateEnds? {
        runner.store.isShared ? LateEnds(machine.oldest(lateAllowance.count), at: instant) : nil
    }

    /// Takes what has ended since the commit began, on the thread of its body, while the runner's
    /// thread waits for it. Ends that need more than the commit stay for later.
    private func take(_ late: LateEnds) {
        late.lockedAt = instant
        let ends = runner.inbox.takeEnds(of: late.expected)
        if runner.inbox.hasEnds { late.isExceeded = true }
        for (key, end) in ends {
            if let completion = machine.settleLate(key, end, instant: instant) {
                late.completions.append(completion)
            } else {
                pending.append(.ended(key, end))
            }
        }
    }

    /// The result of a commit, with the requests to stop the runner's other attempts.
    typealias Gain = (
        claimed: [Claimed], settled: [Settled], stops: [ExecutionKey: StopCause]
    )

    /// Settles and claims in one commit. Its time is the time at which it has the lock. At a
    /// server, where a look is a round trip, it also reads the requests to stop attempts.
    func settle(
        _ completions: [Completion], _ claim: ClaimRequest?, _ late: LateEnds?
    ) throws -> Gain {
        let folder = runner.store.runFolder
        let reads = expectedReads(completions, claim, late)
        return try runner.store.writeBlocking(expecting: reads) { [self] store in
            var (ends, request) = (completions, claim)
            var stops: [ExecutionKey: StopCause] = [:]
            if let late {
                if !machine.executions.isEmpty {
                    stops = try store.stopRequests(to: attachment.process.id)
                }
                take(late)
                ends += late.completions
                if claim != nil, !late.completions.isEmpty { request = machine.claimRequest() }
            }
            return try store.transact(at: runner.now()) { mutation in
                let settled = try mutation.settle(ends) {
                    Reaper.remains(of: $0, $1, folder: folder)
                }
                return (try request.map { try mutation.claim($0) } ?? [], settled, stops)
            }
        }
    }

    /// Waits for more ends while other workers have the lock anyway. Returns whether the store
    /// changed.
    func gather(_ inputs: inout [RunnerInput]) -> Bool {
        guard gathering.isUsed, pending.isEmpty else { return false }
        var (isNoticed, until) = (false, instant)
        until += gathering.milliseconds(at: until) ?? 0
        while EndGathering.mayWait(with: inputs, of: machine.executions.count), instant < until {
            let more = runner.inbox.take(sleepMilliseconds: until - instant)
            inputs += more.inputs
            isNoticed = isNoticed || more.isNoticed
        }
        return isNoticed
    }

    /// Learns from a commit at a server.
    func record(_ late: LateEnds, _ stops: [ExecutionKey: StopCause]) {
        late.endedAt = instant
        lateAllowance.record(late, slots: slots)
        gathering.record(late)
        agenda.polls.hears(at: instant)
        if !stops.isEmpty { pending.append(.stops(stops)) }
    }

    /// The queues of some tasks, up to the number worth reading ahead.
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
