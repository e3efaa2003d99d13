public import QueueModel

/// What a runner asks for.
public struct ClaimRequest: Hashable, Sendable {
    /// The runner.
    public var runner: ProcessID
    /// How many slots are free; nothing is claimed ahead of one (A1).
    public var freeSlots: Int
    /// How many executions it has in hand.
    public var inHand: Int
    /// Whether one of those must be alone (A2).
    public var isAlone = false
    /// The queues it served, the longest ago first, so that equal ones are served in turn (Q5).
    public var turn: [String] = []

    /// A request of a runner.
    public init(runner: ProcessID, freeSlots: Int, inHand: Int) {
        self.runner = runner
        self.freeSlots = freeSlots
        self.inHand = inHand
    }
}

/// A task that was given to a runner.
public struct Claimed: Hashable, Sendable {
    /// The task as it runs.
    public var task: QueueTask
    /// Its payload.
    public var payload: [UInt8]
    /// The limit of this execution by the queue's settings.
    public var timeoutMilliseconds: Int64?
    /// The attempt limit that holds for it.
    public var attemptLimit: Int?
    /// The store's identity, for the idempotency key.
    public var storeIdentity: String
    /// Whether it must be alone in its runner (A2).
    public var isAlone: Bool
    /// How deep a chain of follow-ups may be in its queue (T6).
    public var maximumDepth: Int
}

extension Mutation {
    /// Gives a runner as many tasks as it has free slots, the larger queue first (A1, Q5, N1), and
    /// whatever a permit names (D3).
    public func claim(_ request: ClaimRequest) throws -> [Claimed] {
        guard let runner = try store.processes().first(where: { $0.id == request.runner }) else {
            throw QueueError(
                .changed, "process \(request.runner) is no longer attached",
                fix: "attach again")
        }
        var round = ClaimRound(request: request, runner: runner)
        try claimPermitted(&round)
        guard !runner.isStopping, !runner.takesOnlyPermits else { return round.claimed }
        try expireTasks()
        let storePaused = try store.storeRecord().pauses.contains {
            $0.direction.stopsWork && $0.isActive(at: now)
        }
        for queue in try queuesInTurn(request, runner) where round.mayTakeMore {
            try claim(from: queue, storePaused: storePaused, &round)
        }
        return round.claimed
    }

    private func queuesInTurn(
        _ request: ClaimRequest, _ runner: ProcessRecord
    ) throws -> [QueueRecord] {
        let all = try store.queues().filter { runner.queues?.contains($0.name) ?? true }
        let turns = Dictionary(
            request.turn.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        return all.sorted { left, right in
            if left.settings.priority != right.settings.priority {
                return left.settings.priority > right.settings.priority
            }
            let (first, second) = (turns[left.name] ?? -1, turns[right.name] ?? -1)
            return first == second ? left.name < right.name : first < second
        }
    }

    /// A queue's tasks whose time has come wait no longer; their version stays.
    func wakeTasks(of queue: String) throws {
        while true {
            let due = try store.tasksToWake(queue: queue, now: now, limit: 1000)
            guard !due.isEmpty else { return }
            try store.update(due.map { $0.awake(at: now) })
        }
    }

    private func claim(
        from record: QueueRecord, storePaused: Bool, _ round: inout ClaimRound
    ) throws {
        guard !record.isPaused(at: now), !storePaused else { return }
        try wakeTasks(of: record.name)
        guard try runIsOpenOrOpens(record, for: round.runner) else { return }
        while round.mayTakeMore {
            let queue = try queue(record.name)
            let running = try store.counts(queue: queue.name)[.running]
            let room = min(round.slotsLeft, queue.settings.concurrency - running)
            guard room > 0, try !reachedLimit(queue) else { return }
            let tasks = try store.eligible(queue, for: [round.runner], now: now, limit: room)
            guard let first = tasks.first else {
                try endRunIfDone(queue.name)
                return
            }
            // A strict queue has a new head after each claim; others give what they found at once.
            let isBlock = queue.settings.afterFailure == .block
            for task in isBlock ? [first] : tasks {
                guard round.mayTake(task) else { return }
                round.add(try start(task, runner: round.runner, isStep: false))
                if try reachedLimit(try self.queue(record.name)) { return }
            }
            if !isBlock, tasks.count < room { return }
        }
    }

    /// Permits for this runner, pauses and slots of the queue's order left out (D3).
    private func claimPermitted(_ round: inout ClaimRound) throws {
        let permits = try store.permits().filter { $0.runner == round.runner.id }
        for permit in permits where round.slotsLeft > 0 {
            try store.removePermits([permit.id])
            guard let task = try store.task(permit.task), task.version == permit.version,
                let waiting = task.waiting, waiting.lingering == nil
            else { continue }
            round.add(try start(task, runner: round.runner, isStep: true))
        }
    }

    /// Writes the attempt and the lease, and counts the execution in the open run.
    public func start(
        _ task: QueueTask, runner: ProcessRecord, isStep: Bool
    ) throws -> Claimed {
        let lease = Running(
            owner: runner.id, token: try store.takeNumber(), attempt: task.executions + 1,
            since: now, isStep: isStep)
        let change = try apply(.claim(lease), to: task)
        try store.put([
            AttemptRecord(task: task, number: lease.attempt, runner: runner.id, startedAt: now)
        ])
        try changeQueue(task.queue) { $0.run?.attempted += 1 }
        let queue = try queue(task.queue)
        return Claimed(
            task: change.task, payload: try store.payload(of: task.id) ?? [],
            timeoutMilliseconds: queue.settings.timeoutMilliseconds,
            attemptLimit: task.attemptLimit ?? queue.settings.attemptLimit,
            storeIdentity: try store.storeRecord().identity, isAlone: task.runsAlone,
            maximumDepth: queue.settings.maximumDepth)
    }
}

extension QueueTask {
    /// From its second loss in succession a task is executed alone in its runner (A2).
    public var runsAlone: Bool { lossesInSuccession >= 2 }
}

/// What a claim has given so far.
struct ClaimRound {
    var request: ClaimRequest
    var runner: ProcessRecord
    var claimed: [Claimed] = []
    var isDraining = false

    init(request: ClaimRequest, runner: ProcessRecord) {
        self.request = request
        self.runner = runner
    }

    var slotsLeft: Int {
        let isAlone = request.isAlone || claimed.contains { $0.isAlone }
        return isAlone ? 0 : request.freeSlots - claimed.count
    }

    var mayTakeMore: Bool { slotsLeft > 0 && !isDraining }

    /// One that must be alone waits until nothing else is in hand, and nothing overtakes it.
    mutating func mayTake(_ task: QueueTask) -> Bool {
        guard task.runsAlone, request.inHand + claimed.count > 0 else { return mayTakeMore }
        isDraining = true
        return false
    }

    mutating func add(_ task: Claimed) { claimed.append(task) }
}
