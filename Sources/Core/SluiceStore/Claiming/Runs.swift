package import SluiceModel

/// How the runs of batched and manual queues open and end (Q4, D4).
extension Mutation {
    /// Whether the run state allows a task to start: the queue runs continuously, or its batch is
    /// due with an eligible task. In the latter case it opens the run.
    func runGoesOnOrOpens(_ name: String, for runner: ProcessRecord) throws -> Bool {
        let queue = try queue(name)
        if queue.goesOnByItself { return true }
        guard let begin = try store.ownRunBegin(of: queue, now: now), begin <= now,
            try !store.eligible(
                queue, for: [runner], now: now, limit: 1, bounds: bounds
            ).isEmpty
        else { return false }
        try openRun(name, limit: nil, because: try reason(toRun: queue))
        // A run begun by steps continues without a limit when the queue is due.
        try changeQueue(name) { $0.run?.limit = nil }
        return true
    }

    /// Opens a run; a queue has at most one. A journal line states the reason unless the caller
    /// writes it.
    package func openRun(_ name: String, limit: RunLimit?, because reason: String? = nil) throws {
        guard try queue(name).run == nil else { return }
        let number = try store.reserveNumber()
        try changeQueue(name) { $0.run = Run(number: number, since: now, limit: limit) }
        if let reason { try record(.runBegan, name, "a run began: \(reason)") }
    }

    /// Whether the open run reached the end of `run --until`.
    func runIsSpent(_ queue: QueueRecord) throws -> Bool {
        try store.runIsSpent(queue, now: now)
    }

    /// Ends the run of a queue when nothing of it is eligible for any attached runner and nothing
    /// of it runs.
    package func endRunIfDone(_ name: String) throws {
        guard try store.runIsDone(try queue(name), now: now) else { return }
        try endRun(name)
    }

    /// Ends the run of a queue. Clears run marks and the skips that end with the run; later tasks
    /// are fresh.
    package func endRun(_ name: String) throws {
        guard let run = try queue(name).run else { return }
        let hadNoSuccess = run.attempted > 0 && !run.hadSuccess
        try recordSkipped(in: name)
        try changeQueue(name) {
            $0.run = nil
            $0.lastRunEnd = now
            $0.barrenRuns = hadNoSuccess ? $0.barrenRuns + 1 : run.attempted > 0 ? 0 : $0.barrenRuns
        }
        try store.clearRunMarks(queue: name)
        try release(run.sitOuts)
        try store.append([
            JournalEvent(
                at: real, kind: JournalEvent.runEnd, queue: name, task: nil, by: "sluice",
                text: JournalEvent.runEndText(attempts: run.attempted))
        ])
        try recordLeft(in: name)
    }

    /// Makes the members of a failed start sit out the open run. Without an open run it releases
    /// them immediately (Q10).
    func followRun(_ start: inout QueueTask) throws {
        guard start.endedStartPolicy == .skipRun else { return }
        guard let run = try queue(start.queue).run else {
            start.endedStartPolicy = .release
            return
        }
        let id = start.id
        guard !run.sitOuts.contains(id) else { return }
        try changeQueue(start.queue) { $0.run?.sitOuts.append(id) }
    }

    /// The run is over that the members of these starts sat out. For the starts that is no change.
    private func release(_ starts: [TaskID]) throws {
        for start in try store.tasks(starts) where start.endedStartPolicy == .skipRun {
            var released = start
            released.endedStartPolicy = .release
            try store.update([released])
            try followGroup(from: start, to: released)
        }
    }
}

extension StoreReader {
    /// The time when a batched queue would begin a run automatically, ignoring a run opened by
    /// steps. `nil` for other queues, and without a trigger.
    package func ownRunBegin(of queue: QueueRecord, now: Timestamp) throws -> Timestamp? {
        var closed = queue
        closed.run = nil
        return closed.nextRun(try batchFacts(queue, now: now), now: now)
    }

    /// Whether the open run has reached its limit.
    func runIsSpent(_ queue: QueueRecord, now: Timestamp) throws -> Bool {
        guard let run = queue.run else { return false }
        if case .task(let id) = run.limit {
            guard let waiting = try task(id)?.waiting else { return true }
            return waiting.attemptedInRun
        }
        return run.isSpent(at: now)
    }

    /// Whether the open run is at its end: no task of it runs, no permit is out, and it is spent or
    /// has no eligible task for any attached runner.
    package func runIsDone(_ queue: QueueRecord, now: Timestamp) throws -> Bool {
        guard let run = queue.run, try counts(queue: queue.name)[.running] == 0,
            try !permits().contains(where: { $0.queue == queue.name })
        else { return false }
        // A run that steps drive ends when it has nothing left, like any other.
        if run.limit != .stepsOnly, try runIsSpent(queue, now: now) { return true }
        guard queue.wakes.isEmpty else { return false }
        let runners = try processes().filter { $0.role == .runner && !$0.isStopping }
        return try eligible(
            queue, for: runners, assumesRunner: runners.isEmpty, now: now, limit: 1
        ).isEmpty
    }
}

extension JournalEvent {
    static let runEnd = "runEnded"
    private static let runEndWords = "the run ended after "

    static func runEndText(attempts: Int) -> String {
        "\(runEndWords)\(attempts) \(attempts == 1 ? "attempt" : "attempts")"
    }

    /// The number of attempts of an ended run. `nil` for any other event.
    package var attemptsOfEndedRun: Int? {
        guard kind == Self.runEnd, text.hasPrefix(Self.runEndWords) else { return nil }
        return Int(text.dropFirst(Self.runEndWords.count).prefix { $0.isNumber })
    }
}
