public import SluiceModel

/// The end of one execution, as its runner reports it.
package struct Completion: Hashable, Sendable {
    package var task: TaskID
    /// The token of the lease; another one changes nothing (A1).
    package var token: Int64
    package var ending: Ending
    /// The result of a success, kept where the task is.
    package var result: [UInt8]?
    /// The tasks that the handler enqueues with its success (A3).
    package var followUps: [FollowUp] = []
    /// The last progress and the log lines (A7).
    package var progress: AttemptProgress?
    /// Draws the jitter of a retry, in 0..<1.
    package var chance: Double = 0.5

    package init(task: TaskID, token: Int64, ending: Ending) {
        self.task = task
        self.token = token
        self.ending = ending
    }
}

/// A task that a handler wants enqueued when it succeeds; its wait counts from its parent's end.
package struct FollowUp: Hashable, Sendable {
    package var queue: String
    package var task: EnqueueRequest
    /// Milliseconds after the parent's end before it may begin.
    package var delayMilliseconds: Int64

    package init(queue: String, task: EnqueueRequest, delayMilliseconds: Int64 = 0) {
        self.queue = queue
        self.task = task
        self.delayMilliseconds = delayMilliseconds
    }

    package init(
        queue: String, type: String, payload: [UInt8] = [], delayMilliseconds: Int64 = 0,
        priority: Int? = nil, uniqueKey: String? = nil, groupStart: String? = nil,
        groupMembers: [String] = []
    ) {
        var task = EnqueueRequest(type: type, payload: payload)
        (task.ownPriority, task.uniqueKey) = (priority, uniqueKey)
        (task.groupStart, task.groupMembers) = (groupStart, groupMembers)
        self.init(queue: queue, task: task, delayMilliseconds: delayMilliseconds)
    }
}

/// The progress that an attempt reported while it ran (A7).
package struct AttemptProgress: Hashable, Sendable {
    /// The completed fraction, if known.
    package var fraction: Double?
    package var text: String?
    /// The log lines, bounded.
    package var log: [String] = []
    /// The child process of a `command`.
    package var childPID: Int64?
    /// Its start time in the kernel's ticks.
    package var childStartTime: UInt64?

    /// Nothing said yet.
    package init() {}
}

/// The result of a completion.
public struct Settled: Hashable, Sendable {
    /// The task's number.
    public var id: TaskID
    /// The task's type.
    public var type: String
    /// Its queue.
    public var queue: String
    /// The recorded attempt. `nil` for a stale completion, which changes nothing (YTQ-R16).
    public var attempt: AttemptRecord?
    /// The state that the task is in now; nil when the store forgot it.
    public var state: StateName?
    /// Whether a process of the attempt continues without a runner (B12).
    package var isOrphaned = false
}

extension Mutation {
    /// Settles attempts in order, each by its own rule. A completion with a stale token changes
    /// nothing and reports that. `remains` returns which part of a failed attempt continues.
    package func settle(
        _ completions: [Completion],
        remains: (QueueTask, AttemptRecord) -> Remains = { _, _ in .gone }
    ) throws -> [Settled] {
        let first = try placeOfDecision()
        var settled: [Settled] = []
        var queues: [String] = []
        var steps: Set<Int64> = []
        // One read is enough: only its own completion changes a running task.
        var running = Dictionary(
            try store.tasks(completions.map(\.task)).map { ($0.id, $0) },
            uniquingKeysWith: { first, _ in first })
        for completion in completions {
            guard let task = running.removeValue(forKey: completion.task),
                let lease = task.running, lease.token == completion.token
            else {
                settled.append(try stale(completion))
                continue
            }
            if lease.isStep { steps.insert(lease.token) }
            settled.append(
                try lease.isStep
                    ? end(step: lease, of: task) { try settle(completion, task, lease, remains) }
                    : settle(completion, task, lease, remains))
            if !queues.contains(task.queue) { queues.append(task.queue) }
        }
        for name in queues {
            try trimFinished(name)
            let run = steps.isEmpty ? nil : try queue(name).run
            try endRunIfDone(name)
            if run != nil, try queue(name).run == nil { try recordRunEnd(of: name, steps) }
        }
        if !completions.isEmpty { try store.tape()?.record(.settle(completions), since: first) }
        return settled
    }

    /// A late report changes nothing, and its answer says so (YTQ-R16).
    private func stale(_ completion: Completion) throws -> Settled {
        let task = try store.task(completion.task)
        return Settled(
            id: completion.task, type: task?.type ?? "", queue: task?.queue ?? "",
            attempt: nil, state: task?.state.name)
    }

    private func settle(
        _ completion: Completion, _ task: QueueTask, _ lease: Running,
        _ remains: (QueueTask, AttemptRecord) -> Remains
    ) throws -> Settled {
        let run = try queue(task.queue).run
        let ending = try ending(of: completion, task)
        let facts = try factsForBreakpoints(at: task)
        let change = try apply(
            .end(token: completion.token, ending), to: task, chance: completion.chance,
            attemptedIn: run, isUndoable: false)
        let isSuccess = change.attemptEnd?.outcome == .success
        if isSuccess {
            if run != nil { try changeQueue(task.queue) { $0.run?.hadSuccess = true } }
            if !change.isRemoved, let result = completion.result {
                try store.setResult(result, of: task.id)
            }
            try enqueueFollowUps(completion.followUps, of: task)
        }
        if change.isRunnerOffline { try markOffline(lease.owner) }
        let attempt = try record(completion, task, lease, change)
        if let facts { try stop(behind: change.task, attempt, facts) }
        var settled = Settled(
            id: task.id, type: task.type, queue: task.queue, attempt: attempt,
            state: change.isRemoved ? nil : change.task.state.name)
        if !isSuccess, change.task.state.lingering == nil,
            case .orphan(let pid) = remains(task, attempt)
        {
            try leaveOrphan(task.id, lease: lease, pid: pid)
            settled.isOrphaned = true
        }
        return settled
    }

    private func record(
        _ completion: Completion, _ task: QueueTask, _ lease: Running, _ change: Transition
    ) throws -> AttemptRecord {
        var attempt = AttemptRecord(task: task, lease)
        attempt.endedAt = real
        attempt.outcome = change.attemptEnd?.outcome
        attempt.isCounted = change.attemptEnd?.isCounted ?? false
        attempt.error = change.attemptEnd?.error
        attempt.consequence = consequence(of: change)
        attempt.fraction = completion.progress?.fraction
        attempt.progressText = completion.progress?.text
        attempt.log = completion.progress?.log ?? []
        attempt.childPID = completion.progress?.childPID
        attempt.childStartTime = completion.progress?.childStartTime
        try store.put([attempt])
        return attempt
    }

    private func consequence(of change: Transition) -> String? {
        switch change.task.state {
        case .waiting(let waiting):
            if waiting.parking != nil { return "parked" }
            guard let timer = waiting.timer else { return "waits again" }
            return "retry in \(DurationText.taken(timer.until - now))"
        case .failed: return "given up"
        case .deleted: return "deleted"
        case .running, .succeeded: return nil
        }
    }

    /// The ending of an attempt. A success with invalid follow-ups becomes a give-up, because the
    /// work must not run twice (A3).
    private func ending(of completion: Completion, _ task: QueueTask) throws -> Ending {
        guard case .handler(.success, _) = completion.ending else { return completion.ending }
        do {
            for followUp in completion.followUps {
                try Names.check(followUp.queue, of: "queue")
                let settings = try store.queue(named: followUp.queue)?.settings
                try request(followUp, of: task).check(
                    settings ?? QueueSettings(), queue: followUp.queue)
            }
            return completion.ending
        } catch let error as QueueError {
            let reason = "it succeeded, but its follow-up cannot be: \(error.message)"
            return .handler(.giveUp(error: reason))
        }
    }

    /// Here nothing refuses a follow-up (A3).
    private func enqueueFollowUps(_ followUps: [FollowUp], of parent: QueueTask) throws {
        for followUp in followUps {
            let request = request(followUp, of: parent)
            _ = try enqueue([request], to: followUp.queue, isEffect: true)
        }
    }

    /// One that begins later than its parent's end begins again at depth 0 (T6).
    private func request(_ followUp: FollowUp, of parent: QueueTask) -> EnqueueRequest {
        var request = followUp.task
        request.parent = parent.id
        if followUp.delayMilliseconds > 0 {
            request.notBefore = now + followUp.delayMilliseconds
        }
        request.depth = request.notBefore.map { $0 > now } ?? false ? 0 : parent.depth + 1
        return request
    }

    /// Keeps the last n finished tasks by the queue's setting (Q9), once for all ends of this
    /// write.
    private func trimFinished(_ name: String) throws {
        guard case .last(let count) = try queue(name).settings.keepFinished else { return }
        let excess = try store.counts(queue: name)[.succeeded] - count
        guard excess > 0 else { return }
        let oldest = try store.tasks(
            .finished(of: name),
            limit: min(excess, 1000))
        let gone = try oldest.filter { try mayForget($0) }.map(\.id)
        if !gone.isEmpty { try store.remove(gone) }
    }
}
