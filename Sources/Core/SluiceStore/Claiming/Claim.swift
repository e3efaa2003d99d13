package import SluiceModel

package struct ClaimRequest: Hashable, Sendable {
    package var runner: ProcessID
    /// The number of free slots. A runner claims nothing in advance (A1).
    package var freeSlots: Int
    /// How many executions it has in hand.
    package var inFlight: Int
    /// Whether one of those must be alone (A2).
    package var isAlone = false
    /// When it served which queue, so that equal ones are served in turn (Q5).
    package var turn = RoundRobin()
    /// Whether the runner offers its remaining free slots to callers that enqueue (A1).
    package var isOffering = false
    /// Tasks handed to the runner that have started since its last claim.
    package var begun: Set<TaskID> = []

    package init(runner: ProcessID, freeSlots: Int, inFlight: Int) {
        self.runner = runner
        self.freeSlots = freeSlots
        self.inFlight = inFlight
    }
}

/// A task claimed for a runner.
package struct Claimed: Hashable, Sendable {
    package var task: QueueTask
    package var payload: [UInt8]
    /// The limit of this execution by the queue's settings.
    package var timeoutMilliseconds: Int64?
    package var attemptLimit: Int?
    /// The store's identity, for the idempotency key.
    package var storeIdentity: String
    /// Whether it must be alone in its runner (A2).
    package var isAlone: Bool
    /// How deep a chain of follow-ups may be in its queue (T6).
    package var maximumDepth: Int
    /// The number of this attempt in the attempt log. It excludes attempts in a store that the task
    /// came from.
    package var ownNumber: Int
    /// How long it had been due, by the clock of the store; nil where a person or a rule let it
    /// wait again without a moment, as for a retry without a delay.
    package var dueMilliseconds: Int64?
}

extension Mutation {
    /// Claims tasks for the runner's free slots, from queues with higher priority first (A1, Q5,
    /// N1). Also claims the tasks of its permits (D3).
    package func claim(_ request: ClaimRequest) throws -> [Claimed] {
        let first = try placeOfDecision()
        let claimed = try claimed(by: request)
        try store.tape()?.record(.claim(request, gave: claimed.map(\.task.id)), since: first)
        return claimed
    }

    private func claimed(by request: ClaimRequest) throws -> [Claimed] {
        guard let runner = try store.processes().first(where: { $0.id == request.runner }) else {
            throw QueueError(
                .changed, "process \(request.runner) is no longer attached",
                fix: "attach again")
        }
        var round = ClaimRound(request: request, runner: runner)
        guard !runner.isStopping else { return [] }
        let standing = try claimDispatched(&round)
        try claimPermitted(&round)
        guard !runner.takesOnlyPermits else { return round.claimed }
        try expireTasks()
        try claim(in: store.turnOrder(of: runner, after: request.turn), &round)
        try renew(standing, after: round)
        return round.claimed
    }

    /// Takes from queues in turn, as far as the slots go.
    func claim(in order: TurnOrder, _ round: inout ClaimRound) throws {
        guard round.mayTakeMore else { return }
        defer { order.end() }
        try order.begin(round.request.turn, ahead: round.request.freeSlots / 2) { name in
            let counts = try store.counts(queue: name)
            return counts[.waiting] > 0 && counts[.running] == 0
        }
        let pauses = try store.storeRecord().pauses
        while round.mayTakeMore {
            let next = try order.next(order.isKept ? Self.keptQueues : Self.plannedQueues) {
                name in
                try store.counts(queue: name)[.waiting] > 0 || queue(name).run != nil
            }
            guard !next.isEmpty else { return }
            var planned = try next.count > 1 ? plan(next[...], storePauses: pauses, round) : [:]
            for name in next where round.mayTakeMore {
                let page = planned.removeValue(forKey: name)
                try claim(from: name, storePauses: pauses, page, &round)
            }
        }
    }

    /// The number of queues planned by an engine that keeps the order, which asks for each alone.
    private static let keptQueues = 8

    /// The number of queues planned in one query.
    private static let plannedQueues = 64

    /// Reads the next tasks of several queues in one query, as far as slots are free. Excludes
    /// queues that need a change before a claim.
    private func plan(
        _ names: ArraySlice<String>, storePauses: [Pause], _ round: ClaimRound
    ) throws -> [String: PlannedPage] {
        let forced = try store.storeRecord().forcedNetwork
        var left = round.slotsLeft
        var queries: [TaskQuery] = []
        for name in names where left > 0 {
            let queue = try queue(name)
            guard !queue.isStopped(at: now, real: real, storePauses: storePauses),
                queue.goesOnByItself,
                queue.settings.afterFailure != .block, queue.settings.rate == nil,
                !queue.settings.limitsTypes
            else { continue }
            let counts = try store.counts(queue: name)
            let room = min(left, queue.settings.concurrency - counts[.running])
            let ready = counts.waitingByFlags[.ready] ?? 0
            guard room > 0, ready > 0, !counts.mayWake else { continue }
            left -= min(room, ready)
            var query = TaskQuery(queue: name, waitFlags: .ready, limit: room)
            query.types = round.runner.types(in: name)
            query.isOffline = !round.runner.meets(
                [.network], forced: queue.forcedNetwork(else: forced), at: now)
            queries.append(query)
        }
        guard queries.count > 1 else { return [:] }
        let pages = zip(queries, try store.candidates(queries)).map(PlannedPage.init)
        return Dictionary(pages.map { ($0.query.queue, $0) }) { first, _ in first }
    }

    /// Clears the time wait of some due tasks of a queue; their versions do not change. A claim
    /// finds the other due tasks itself.
    func wakeTasks(of queue: String) throws {
        guard try store.mayWake(queue: queue) else { return }
        let due = try store.tasks(.timers(queue: queue, through: now), limit: bounds.moved)
        if !due.isEmpty { try store.update(due.map { $0.awake(at: now) }) }
    }

    private func claim(
        from name: String, storePauses: [Pause], _ planned: PlannedPage?,
        _ round: inout ClaimRound
    ) throws {
        var planned = planned
        guard try !queue(name).isStopped(at: now, real: real, storePauses: storePauses) else {
            return
        }
        // A queue without waiting tasks needs no wake, no run and no claim.
        guard try queue(name).run != nil || store.counts(queue: name)[.waiting] > 0 else { return }
        try wakeTasks(of: name)
        if try queue(name).isBeyondRate(at: now) { try changeQueue(name) { $0.limitRate(at: now) } }
        guard try runGoesOnOrOpens(name, for: round.runner) else { return try endRunIfDone(name) }
        while round.mayTakeMore {
            let queue = try queue(name)
            var room = queue.settings.concurrency - (try store.slotsTaken(in: name))
            if let allowance = queue.allowance(at: now) { room = min(room, allowance) }
            guard room > 0 else { return }
            let wanted = min(room, round.slotsLeft)
            let tasks = try nextTasks(of: queue, for: round.runner, wanted, planned)
            planned = nil
            guard !tasks.isEmpty else { return try endRunIfDone(name) }
            let payloads = try store.payloads(of: tasks.map(\.id))
            var places = try store.typePlaces(in: queue)
            var hasFullType = false
            for task in tasks {
                guard try !runIsSpent(self.queue(name)) else { break }
                if let free = places[task.type] {
                    guard free > 0 else {
                        hasFullType = true
                        continue
                    }
                    places[task.type] = free - 1
                }
                guard round.mayTake(task),
                    try !stops(before: task, payload: payloads[task.id])
                else { return }
                round.add(
                    try start(
                        task, payload: payloads[task.id], runner: round.runner, isStep: false))
            }
            // A strict queue has another head after this one; other types may have places.
            guard tasks.count == wanted || hasFullType || queue.settings.afterFailure == .block
            else { return }
        }
    }

    /// The tasks that may start now within the run. A strict queue has a new head after each claim.
    private func nextTasks(
        of queue: QueueRecord, for runner: ProcessRecord, _ room: Int, _ planned: PlannedPage?
    ) throws -> [QueueTask] {
        guard try !runIsSpent(queue) else { return [] }
        let limit = queue.settings.afterFailure == .block ? 1 : room
        if let per = queue.settings.rate?.per {
            return try store.startable(
                queue, per: per, for: [runner], now: now, limit: limit, bounds: bounds
            ).tasks
        }
        return try store.eligible(
            queue, for: [runner], now: now, limit: limit, bounds: bounds, planned: planned)
    }

    /// Claims the tasks of this runner's permits. The step already checked pauses, runs and order;
    /// this checks the other blockers again (D3).
    private func claimPermitted(_ round: inout ClaimRound) throws {
        let permits = try store.permits().filter { $0.runner == round.runner.id }
        for permit in permits where round.slotsLeft > 0 {
            guard let task = try store.task(permit.task), task.version == permit.version,
                task.waiting != nil
            else {
                try store.removePermits([permit.id])
                continue
            }
            let place = try store.eligibility(of: task, now: now, real: real)
            // The pending wake finishes soon and removes this barrier.
            guard place.queue.barrier(before: task) == nil else { continue }
            let rest = task.blockers(in: place, for: round.runner).filter {
                !Blocker.Kind.passedByStep.contains($0.kind)
            }
            // A slot becomes free again; any other blocker makes the permit void.
            if rest.contains(where: { $0.kind != .noSlot }) {
                try store.removePermits([permit.id])
            } else if rest.isEmpty, round.mayTake(task) {
                try store.removePermits([permit.id])
                round.add(try start(task.awake(at: now), runner: round.runner, isStep: true))
            }
        }
    }

    /// Writes the lease, and counts the execution in the open run; `payload` where
    /// it was read already.
    package func start(
        _ task: QueueTask, payload: [UInt8]? = nil, runner: ProcessRecord, isStep: Bool
    ) throws -> Claimed {
        var lease = Running(
            owner: runner.id, token: try store.reserveNumber(), attempt: task.executions + 1,
            since: real, isStep: isStep)
        lease.injection = try injection(
            into: task, payload: payload, attempt: lease.attempt, runner: runner)
        if isStep { try begin(step: task, lease) }
        let change = try apply(.claim(lease), to: task, isUndoable: false)
        try goPastBreakpoints(task, isStep: isStep)
        let queue = try queue(task.queue)
        if queue.run != nil || queue.settings.rate != nil {
            let key = try store.rateKey(of: task, payload: payload, in: queue)
            try changeQueue(task.queue) { queue in
                queue.recordStart(of: key, at: now)
                guard var run = queue.run else { return }
                run.attempted += 1
                if run.limit == .task(task.id) { run.limit = .count(run.attempted) }
                queue.run = run
            }
        }
        let claimed = try store.claimed(
            change.task, lease, in: try self.queue(task.queue), payload: payload)
        if let due = claimed.dueMilliseconds {
            try store.countWait(
                DurationBucket(milliseconds: due), in: task.queue, at: lease.since)
        }
        return claimed
    }
}

extension StoreReader {
    /// Builds the value that a runner gets for a claimed task.
    func claimed(
        _ task: QueueTask, _ lease: Running, in queue: QueueRecord, payload: [UInt8]? = nil
    ) throws -> Claimed {
        let record = try storeRecord()
        let waited = record.time.time(at: lease.since) - task.freshAt
        return Claimed(
            task: task, payload: try payload ?? self.payload(of: task.id) ?? [],
            timeoutMilliseconds: queue.settings.timeoutMilliseconds(of: task),
            attemptLimit: queue.settings.attemptLimit(of: task),
            storeIdentity: record.identity, isAlone: task.runsAlone,
            maximumDepth: queue.settings.maximumDepth,
            ownNumber: try ownNumber(of: lease, of: task.id),
            dueMilliseconds: task.freshAt.milliseconds > 0 ? max(0, waited) : nil)
    }
}

extension StoreReader {
    /// The number of an attempt in the attempt log, whose numbers have no gaps. Reads only the
    /// first attempt, so that the cost does not grow with failures.
    private func ownNumber(of lease: Running, of id: TaskID) throws -> Int {
        guard lease.attempt > 1, let first = try writtenAttempts(of: id, limit: 1).first
        else { return 1 }
        return lease.attempt - first.number + 1
    }
}

extension QueueTask {
    /// From its second loss in succession a task is executed alone in its runner (A2).
    package var runsAlone: Bool { lossesInSuccession >= 2 }
}

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

    /// A task that must run alone waits until the runner has no other, and no task overtakes it.
    mutating func mayTake(_ task: QueueTask) -> Bool {
        guard task.runsAlone, request.inFlight + claimed.count > 0 else { return mayTakeMore }
        isDraining = true
        return false
    }

    mutating func add(_ task: Claimed) { claimed.append(task) }
}
