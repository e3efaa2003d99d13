public import QueueModel

/// How the runs of batched and manual queues open and end (Q4, D4).
extension Mutation {
    /// Whether work may start as far as runs go: the queue needs none, one is open, or a batched
    /// one opens now because its time has come and something in it is eligible.
    func runIsOpenOrOpens(_ queue: QueueRecord, for runner: ProcessRecord) throws -> Bool {
        if queue.run != nil || queue.settings.start == .continuous { return true }
        guard case .batched = queue.settings.start,
            let begin = queue.nextRun(try store.batchFacts(queue, now: now), now: now),
            begin <= now,
            try !store.eligible(queue, for: [runner], now: now, limit: 1).isEmpty
        else { return false }
        try openRun(queue.name, limit: nil)
        return true
    }

    /// Opens a run; at most one is open in a queue.
    public func openRun(_ name: String, limit: RunLimit?) throws {
        guard try queue(name).run == nil else { return }
        let number = try store.takeNumber()
        try changeQueue(name) { $0.run = Run(number: number, since: now, limit: limit) }
    }

    /// Whether the run has gone as far as `run --until` said (D4).
    func reachedLimit(_ queue: QueueRecord) throws -> Bool {
        guard let run = queue.run else { return false }
        switch run.limit {
        case nil: return false
        case .count(let count): return run.attempted >= count
        case .time(let moment): return now >= moment
        case .task(let id):
            guard let task = try store.task(id), let waiting = task.waiting else { return true }
            return waiting.attemptedInRun
        }
    }

    /// Ends the run of a queue when nothing of it is eligible for any attached runner and nothing
    /// of it runs.
    public func endRunIfDone(_ name: String) throws {
        let queue = try queue(name)
        guard queue.run != nil, try store.counts(queue: name)[.running] == 0 else { return }
        if try !reachedLimit(queue) {
            let runners = try store.processes().filter { $0.role == .runner && !$0.isStopping }
            let left = try store.eligible(
                queue, for: runners, lonely: runners.isEmpty, now: now, limit: 1)
            guard left.isEmpty else { return }
        }
        try endRun(name)
    }

    /// Ends the run of a queue: marks go, skips that end with it go, and what comes from now on is
    /// fresh.
    public func endRun(_ name: String) throws {
        guard let run = try queue(name).run else { return }
        let isBarren = run.attempted > 0 && !run.hadSuccess
        try changeQueue(name) {
            $0.run = nil
            $0.lastRunEnd = now
            $0.barrenRuns = isBarren ? $0.barrenRuns + 1 : run.attempted > 0 ? 0 : $0.barrenRuns
        }
        try store.clearRunMarks(queue: name)
        let word = run.attempted == 1 ? "execution" : "executions"
        try store.append([
            JournalEvent(
                at: now, kind: "runEnded", queue: name, task: nil, by: "sluice",
                text: "the run ended after \(run.attempted) \(word)")
        ])
    }
}
