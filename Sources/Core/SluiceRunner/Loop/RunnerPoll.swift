import SluiceModel
import SluiceStore

/// The result of a runner's poll of the store.
struct RunnerPoll: Hashable, Sendable {
    /// Whether others treated it as dead and cleaned up after it.
    var isUnknown = false
    /// The leases that the store records for it; `nil` if not read.
    var leases: Set<ExecutionKey>?
    /// Its running attempts with a stop request.
    var stops: [ExecutionKey: StopCause] = [:]
    /// Tasks that others claimed for it since its last claim, started or not (A1).
    var handed: [Claimed] = []
    /// Whether a claim would find something.
    var hasWork = false
    var hasPermit = false
    /// Whether the ends of starts have left something to do for their members (T2).
    var hasWakes = false
    /// Whether a running queue waits for attempts that continue without a runner (B12).
    var hasOrphans = false
    /// Whether an application left something that a write takes in (T4).
    var hasInbox = false
    /// The next real time when a task may start automatically.
    var nextMoment: Timestamp?
    /// The real time of the next schedule. `nil` if this runner runs no schedules, or while the
    /// store's clock is earlier.
    var nextSchedule: Timestamp?
    /// Whether no other runner comes before it that takes the same.
    var isFirst = true
}

extension RunnerPoll {
    /// Polls the store for one runner with `inFlight` running attempts: stop requests, available
    /// work, and the time of the next poll. With `mayStopAtWork` it omits the rest once it finds
    /// work: a claim and another poll follow.
    init(
        _ store: any StoreReader, runner id: ProcessID, now real: Timestamp, wantsWork: Bool,
        inFlight: Int, mayStopAtWork: Bool = false
    ) throws {
        let held = try store.leases(of: id)
        leases = Set(held.map(\.key))
        for lease in held { stops[lease.key] = lease.stop }
        let processes = try store.processes()
        let runner = processes.first { $0.id == id }
        isUnknown = runner == nil
        if let runner { isFirst = !processes.contains { $0.isAhead(of: runner) } }
        handed = try store.dispatched(to: id)
        hasWakes = try store.hasWakes()
        hasInbox = try store.hasFreshInbox()
        if let runner, runner.isWorking {
            let record = try store.storeRecord()
            nextSchedule = record.schedules.next.flatMap { next in
                next <= record.time.time(at: real) ? real : record.time.moment(of: next)
            }
        }
        guard wantsWork, let runner else { return }
        hasPermit = try store.permits().contains { $0.runner == id }
        hasWork = hasPermit
        guard !runner.takesOnlyPermits, !runner.isStopping else { return }
        let time = try store.storeRecord().time
        let now = time.time(at: real)
        var ground = Ground(
            runner: runner, now: now, real: real, time: time, inFlight: inFlight,
            mayStopAtWork: mayStopAtWork)
        if let offline = runner.offlineUntil { notice(offline, ground) }
        ground.storePauses = try store.storeRecord().pauses.filter {
            $0.direction.stopsWork && $0.isActive(at: now)
        }
        for pause in ground.storePauses { notice(pause.until, ground) }
        if hasWork, mayStopAtWork { return }
        try store.visitQueuesInUse { queue in
            if runner.serves(queue.record.name) { try look(at: queue.record, store, ground) }
            return !(hasWork && mayStopAtWork)
        }
        if hasWork, mayStopAtWork { return }
        if let expiry = try store.nextExpiry() {
            if expiry <= now { hasWork = true } else { notice(expiry, ground) }
        }
    }

    /// For whom it looks, when, and how far.
    private struct Ground {
        var runner: ProcessRecord
        var now: Timestamp
        var real: Timestamp
        var time: StoreTime
        var storePauses: [Pause] = []
        var inFlight: Int
        var mayStopAtWork: Bool
    }

    private mutating func look(
        at queue: QueueRecord, _ store: any StoreReader, _ ground: Ground
    ) throws {
        let (runner, now) = (ground.runner, ground.now)
        for pause in queue.activePauses(at: now, real: ground.real)
        where pause.direction.stopsWork {
            if pause.cause == .breakpoint {
                notice(real: pause.until, ground)
            } else {
                notice(pause.until, ground)
            }
        }
        guard
            !queue.isStopped(at: now, real: ground.real, storePauses: ground.storePauses)
        else { return }
        let counts = try store.counts(queue: queue.name)
        guard counts[.waiting] > 0 || queue.run != nil else { return }
        if counts.mayWake,
            let timer = try store.tasks(.timers(queue: queue.name), limit: 1).first?.wakesAt
        {
            if timer <= now { hasWork = true } else { notice(timer, ground) }
        }
        if case .time(let end) = queue.run?.limit { notice(end, ground) }
        if try store.runIsDone(queue, now: now) { hasWork = true }
        if !queue.goesOnByItself {
            let begin = try store.ownRunBegin(of: queue, now: now)
            guard let begin, begin <= now else { return notice(begin, ground) }
        }
        if counts.waiting(in: .lingering) > 0, try !store.orphaned(in: queue.name).isEmpty {
            hasOrphans = true
        }
        // A claim shortens a wait that its rate cannot give.
        if queue.isBeyondRate(at: now) { hasWork = true }
        if let opens = queue.rateOpens(after: now) { return notice(opens, ground) }
        guard !hasWork, try store.slotsTaken(in: queue.name) < queue.settings.concurrency,
            queue.run?.isSpent(at: now) != true || !queue.goesOnByItself
        else { return }
        if let per = queue.settings.rate?.per {
            let starts = try store.startable(queue, per: per, for: [runner], now: now, limit: 1)
            if let next = starts.tasks.first {
                hasWork = !next.runsAlone || ground.inFlight == 0
            } else {
                notice(starts.opens, ground)
            }
        } else if ground.mayStopAtWork, try promises(counts, of: queue, store, ground) {
            hasWork = true
        } else if let next = try store.eligible(queue, for: [runner], now: now, limit: 1).first {
            hasWork = !next.runsAlone || ground.inFlight == 0
        }
    }

    /// Whether the counts alone guarantee a successful claim. An idle runner then saves further
    /// reads from a server.
    private func promises(
        _ counts: QueueCounts, of queue: QueueRecord, _ store: any StoreReader, _ ground: Ground
    ) throws -> Bool {
        guard ground.inFlight == 0, counts[.running] == 0, counts.waiting(in: .lingering) == 0,
            (counts.waitingByFlags[.ready] ?? 0) > 0,
            queue.settings.afterFailure == .advance, queue.wakes.isEmpty,
            ground.runner.types(in: queue.name) == nil
        else { return false }
        let forced = queue.forcedNetwork(else: try store.storeRecord().forcedNetwork)
        return ground.runner.meets([.network], forced: forced, at: ground.now)
    }

    /// Notes a time by the store's clock, unless the clock never reaches it as set now.
    private mutating func notice(_ time: Timestamp?, _ ground: Ground) {
        guard let time, time > ground.now else { return }
        notice(real: ground.time.moment(of: time), ground)
    }

    private mutating func notice(real moment: Timestamp?, _ ground: Ground) {
        guard let moment, moment > ground.real else { return }
        nextMoment = min(nextMoment ?? moment, moment)
    }
}

extension Lease {
    fileprivate var key: ExecutionKey { ExecutionKey(task: task, token: token) }
}

extension StoreReader {
    /// The running attempts of a runner with a stop request.
    func stopRequests(to runner: ProcessID) throws -> [ExecutionKey: StopCause] {
        var stops: [ExecutionKey: StopCause] = [:]
        for lease in try leases(of: runner) { stops[lease.key] = lease.stop }
        return stops
    }
}

extension ProcessRecord {
    /// Whether it takes the same as another runner, and was there before.
    fileprivate func isAhead(of other: ProcessRecord) -> Bool {
        id < other.id && role == .runner && !isStopping && !takesOnlyPermits
            && queues == other.queues && types == other.types
    }
}
