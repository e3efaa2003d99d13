import SluiceModel
import SluiceStore

/// One execution by its task and the token of its lease.
struct ExecutionKey: Hashable, Sendable {
    var task: TaskID
    var token: Int64
}

/// The effects of a runner; data, never closures.
enum RunnerEffect: Hashable, Sendable {
    /// Settle ended attempts and claim for free slots, in one commit.
    case commit([Completion], ClaimRequest?)
    /// Give an execution to its handler.
    case start(Claimed)
    /// The delay that was injected into an execution is over: its handler begins (G2).
    case proceed(ExecutionKey)
    /// Die, as an injected crash wants (G2).
    case crash(ExecutionKey)
    /// Ask an execution to stop, or end it by the last means.
    case stop(ExecutionKey, StopCause)
    case kill(ExecutionKey)
    /// An abandoned execution came to its end after all (B12).
    case release(TaskID, attempt: Int)
    /// Work off a slice of what the ends of starts left to do (T2), and look again.
    case workOffWakes
    /// Write what executions say of themselves.
    case writeProgress([ExecutionKey: AttemptProgress])
    /// Write the network state and poll again: tasks that wait for the network may run now.
    case writeNetwork(NetworkState)
    /// A handler found no network: have it measured.
    case askNetwork
    /// Announce that the runner claims no more; `begun` are the handed-over tasks that have
    /// started.
    case announceStop(begun: Set<TaskID>)
    /// Look at the store again.
    case look
    /// Say that an execution could not begin here, and for how long nothing is taken.
    case lack(String, milliseconds: Int64)
    case finish
}

/// Decides the runner's actions without performing them (architecture, principle 4).
struct RunnerMachine {
    struct Execution: Hashable, Sendable {
        var claimed: Claimed
        var deadline: Int64?
        /// The start time of its handler after an injected delay.
        var proceedAt: Int64?
        var stop: StopCause?
        var killAt: Int64?
        var abandonAt: Int64?
        var isAbandoned = false
    }

    let options: RunnerOptions
    let runner: ProcessID
    /// The time limits of handlers, which override the queues' limits.
    let limits: @Sendable (QueueTask) -> Int64?
    private(set) var executions: [ExecutionKey: Execution] = [:]
    private(set) var nextMoment: Timestamp?
    private(set) var isStopping = false
    private var stopAt: Int64?
    private var isCutOff = false
    /// Ended attempts that may not be settled yet.
    var settling: Set<ExecutionKey> = []
    private var turn = RoundRobin()
    private var unwritten: [ExecutionKey: AttemptProgress] = [:]
    private var progressAt: Int64?
    private var lastClaimFoundNothing = false
    private var rest = StartRest()
    /// Handed-over tasks that have started since the last claim.
    private(set) var begun: Set<TaskID> = []

    init(
        options: RunnerOptions, runner: ProcessID,
        limits: @escaping @Sendable (QueueTask) -> Int64? = { _ in nil }
    ) {
        self.options = options
        self.runner = runner
        self.limits = limits
    }

    /// Handles inputs that arrived together and returns the effects. `instant` is the monotonic
    /// clock in milliseconds, `now` the store's clock.
    mutating func handle(
        _ inputs: [RunnerInput], instant: Int64, now: Timestamp
    ) -> [RunnerEffect] {
        var effects: [RunnerEffect] = []
        var completions: [Completion] = []
        var wantsClaim = false
        var hasWakes = false
        for input in inputs {
            switch input {
            case .looked(let look):
                // After an empty claim, visible work cannot be claimed now. A change or the next
                // due time causes another poll.
                wantsClaim = wantsClaim || look.hasWork && !lastClaimFoundNothing
                hasWakes = look.hasWakes
                effects += looked(look, instant: instant, &completions)
            case .offered: wantsClaim = true
            case .handed(let claimed):
                effects += begin(handed: claimed, instant: instant, completions)
            case .committed(let claimed, let settled):
                lastClaimFoundNothing = claimed.isEmpty && settled.isEmpty
                let isLate = isStopping || inputs.contains(where: \.isStop)
                effects += begin(committed: claimed, isLate: isLate, instant, &completions)
            case .stops(let causes): effects += stop(causes, instant: instant)
            case .ended(let key, let end):
                effects += ended(key, end, instant: instant, &completions)
            case .progress(let key, let progress, let isUrgent):
                guard executions[key] != nil else { continue }
                unwritten[key] = progress
                let due = isUrgent ? instant : instant + progressMilliseconds
                progressAt = min(progressAt ?? due, due)
            case .network(let state):
                effects.append(.writeNetwork(state))
            case .lease(let isHeld):
                wantsClaim = wantsClaim || isHeld
                effects += count(onLease: isHeld, instant: instant)
            case .stop(let isUrgent):
                effects += stopAll(isUrgent: isUrgent, instant: instant)
            case .tick:
                break
            }
        }
        effects += pass(instant: instant, now: now, &completions, &wantsClaim)
        let claim = wantsClaim || !completions.isEmpty ? claimRequest() : nil
        if claim != nil || !completions.isEmpty { effects.append(.commit(completions, claim)) }
        if completions.contains(where: \.isOffline) { effects.append(.askNetwork) }
        if hasWakes, !isStopping { effects.append(.workOffWakes) }
        if isStopping, executions.isEmpty, completions.isEmpty { effects.append(.finish) }
        return effects
    }

    /// Begins the tasks of a claim. It may have waited for its lock while a stop came: then they
    /// wait again. A step keeps its task.
    private mutating func begin(
        committed claimed: [Claimed], isLate: Bool, _ instant: Int64,
        _ completions: inout [Completion]
    ) -> [RunnerEffect] {
        begun = []
        guard !isCutOff, !isLate || options.takesOnlyPermits else {
            completions += claimed.compactMap(\.givenBack)
            return begin([], instant: instant)
        }
        return begin(claimed, instant: instant)
    }

    private mutating func looked(
        _ look: RunnerPoll, instant: Int64, _ completions: inout [Completion]
    ) -> [RunnerEffect] {
        (nextMoment, lastClaimFoundNothing) = (look.nextMoment, false)
        let effects = begin(handed: look.handed, instant: instant, completions)
        var stops = look.stops
        if let leases = look.leases {
            giveBackStrays(among: leases, &completions)
            // A task that was taken from this runner may run elsewhere now (P2).
            for key in executions.keys where !leases.contains(key) { stops[key] = .stopped }
        }
        return effects + stop(stops, instant: instant)
    }

    /// The time until the next deadline in milliseconds; nil without one.
    func sleepMilliseconds(instant: Int64, now: Timestamp) -> Int64? {
        let next = min(nextLimit, stopAt ?? .max, progressAt ?? .max, rest.until ?? .max)
        var sleep = next == .max ? nil : next - instant
        if let nextMoment, !isStopping, rest.until == nil, slotsTaken < slots {
            sleep = min(sleep ?? .max, nextMoment - now)
        }
        return sleep.map { max(0, $0) }
    }

    /// When the next limit or grace period of an execution ends.
    private var nextLimit: Int64 {
        executions.values.reduce(.max) { next, execution in
            min(
                next, execution.deadline ?? .max, execution.proceedAt ?? .max,
                execution.killAt ?? .max, execution.abandonAt ?? .max)
        }
    }

    /// Whether it rests with nothing in hand, so that the next thing may be handed over to it.
    var isIdle: Bool {
        executions.isEmpty && !isStopping && !options.takesOnlyPermits && rest.until == nil
    }

    /// Whether every slot is in use, so that no task can start.
    var isFull: Bool { slotsTaken >= slots && !isStopping }

    private var slotsTaken: Int { executions.count }
    /// The current number of slots.
    private var slots: Int { min(options.slots, rest.slots ?? .max) }

    func claimRequest() -> ClaimRequest? {
        let isAlone = executions.values.contains { $0.claimed.isAlone }
        guard !isStopping, !isCutOff, !isAlone, rest.until == nil, slotsTaken < slots else {
            return nil
        }
        var request = ClaimRequest(
            runner: runner, freeSlots: slots - slotsTaken, inFlight: slotsTaken)
        request.turn = turn
        request.begun = begun
        request.isOffering = !options.takesOnlyPermits
        return request
    }

    /// Returns tasks of a claim whose reply was lost: they wait again, without counting an attempt.
    private mutating func giveBackStrays(
        among leases: Set<ExecutionKey>, _ completions: inout [Completion]
    ) {
        settling.formIntersection(leases)
        guard leases.count > settling.count else { return }
        completions += leases.subtracting(settling).filter { executions[$0] == nil }
            .sorted { $0.task < $1.task }.map(\.givenBack)
    }

    /// Starts each handed-over task once. A stopping runner leaves them to `announceStop`. Skips
    /// tasks that have ended, although the store may still list them as handed over.
    private mutating func begin(
        handed: [Claimed], instant: Int64, _ completions: [Completion]
    ) -> [RunnerEffect] {
        settling.formUnion(completions.map(\.key))
        guard !isStopping, !isCutOff else { return [] }
        let new = handed.filter { one in
            !begun.contains(one.task.id) && !(one.key.map(settling.contains) ?? true)
        }
        begun.formUnion(new.map(\.task.id))
        return begin(new, instant: instant)
    }

    private mutating func begin(_ claimed: [Claimed], instant: Int64) -> [RunnerEffect] {
        var effects: [RunnerEffect] = []
        var served: [String] = []
        for task in claimed {
            guard let lease = task.task.running else { continue }
            let limit = limits(task.task) ?? task.timeoutMilliseconds
            let key = ExecutionKey(task: task.task.id, token: lease.token)
            guard executions[key] == nil else { continue }
            var execution = Execution(claimed: task, deadline: limit.map { instant + $0 })
            effects.append(execution.meet(lease.injection, key, instant: instant))
            executions[key] = execution
            served.append(task.task.queue)
        }
        turn.record(served)
        return effects
    }

    mutating func ended(
        _ key: ExecutionKey, _ end: ExecutionEnd, instant: Int64,
        _ completions: inout [Completion]
    ) -> [RunnerEffect] {
        guard let execution = executions.removeValue(forKey: key) else { return [] }
        unwritten[key] = nil
        if let reason = end.shortage, !execution.isAbandoned, execution.stop == nil {
            rest.record(inFlight: executions.count, at: instant)
            var completion = key.givenBack
            completion.progress = end.progress
            completions.append(completion)
            return [.lack(reason, milliseconds: (rest.until ?? instant) - instant)]
        }
        rest.ended(of: options.slots)
        guard !execution.isAbandoned else {
            return [.release(key.task, attempt: execution.claimed.task.running?.attempt ?? 0)]
        }
        // After a stop request the attempt had no full effect, so no crash follows.
        if execution.stop == nil, execution.claimed.task.running?.injection?.kind == .crashAfter {
            return [.crash(key)]
        }
        var ending = Ending.handler(end.outcome, restarts: end.restarts)
        // A reported success counts in spite of a stop request (A6).
        if let stop = execution.stop {
            if case .success = end.outcome {
            } else {
                ending =
                    stop == .timedOut && end.restarts ? .timedOutToRestart : .stopped(stop)
            }
        }
        var completion = Completion(task: key.task, token: key.token, ending: ending)
        if case .success(let result) = end.outcome { completion.result = result }
        completion.followUps = end.followUps
        completion.progress = end.progress
        completion.chance = end.chance
        completions.append(completion)
        return []
    }

    private mutating func stop(
        _ causes: [ExecutionKey: StopCause], instant: Int64
    ) -> [RunnerEffect] {
        causes.sorted { $0.key.task < $1.key.task }.flatMap {
            stop($0.key, $0.value, instant: instant)
        }
    }

    private mutating func stop(
        _ key: ExecutionKey, _ cause: StopCause, instant: Int64
    ) -> [RunnerEffect] {
        guard var execution = executions[key], !execution.isAbandoned else { return [] }
        let isFirst = execution.stop == nil
        // A person's word weighs more than a time-out or the end of the runner.
        if isFirst || cause == .cancelled || cause == .deleted { execution.stop = cause }
        if isFirst { execution.killAt = instant + stopPatienceMilliseconds }
        (execution.deadline, execution.proceedAt) = (nil, nil)
        executions[key] = execution
        return isFirst ? [.stop(key, cause)] : []
    }

    private mutating func count(onLease isHeld: Bool, instant: Int64) -> [RunnerEffect] {
        isCutOff = !isHeld
        let keys = isHeld ? [] : executions.keys.sorted { $0.task < $1.task }
        return keys.flatMap { stop($0, .stopped, instant: instant) }
    }

    private mutating func stopAll(isUrgent: Bool, instant: Int64) -> [RunnerEffect] {
        let effects: [RunnerEffect] = isStopping ? [] : [.announceStop(begun: begun)]
        isStopping = true
        let at = isUrgent ? instant : instant + options.stopGraceMilliseconds
        stopAt = min(stopAt ?? at, at)
        return effects
    }

    /// Handles the passing of time: limits, grace periods, unwritten progress.
    private mutating func pass(
        instant: Int64, now: Timestamp, _ completions: inout [Completion],
        _ wantsClaim: inout Bool
    ) -> [RunnerEffect] {
        var effects: [RunnerEffect] = []
        if min(nextLimit, stopAt ?? .max) <= instant {
            effects += endPatience(instant: instant, &completions)
        }
        if let due = progressAt, due <= instant {
            progressAt = nil
            effects.append(.writeProgress(unwritten))
            unwritten = [:]
        }
        if rest.isOver(at: instant) { wantsClaim = true }
        if let moment = nextMoment, moment <= now {
            nextMoment = nil
            wantsClaim = true
        }
        settling.formUnion(completions.map(\.key))
        return effects
    }

    private mutating func endPatience(
        instant: Int64, _ completions: inout [Completion]
    ) -> [RunnerEffect] {
        var effects: [RunnerEffect] = []
        let keys = executions.keys.sorted { $0.task < $1.task }
        for key in keys {
            if let deadline = executions[key]?.deadline, deadline <= instant {
                effects += stop(key, .timedOut, instant: instant)
            }
        }
        if let end = stopAt, end <= instant {
            stopAt = nil
            for key in keys { effects += stop(key, .stopped, instant: instant) }
        }
        for key in keys {
            if let due = executions[key]?.proceedAt, due <= instant {
                executions[key]?.proceedAt = nil
                effects.append(.proceed(key))
            }
            effects += escalateStop(key, instant: instant, &completions)
        }
        return effects
    }

    private mutating func escalateStop(
        _ key: ExecutionKey, instant: Int64, _ completions: inout [Completion]
    ) -> [RunnerEffect] {
        guard var execution = executions[key], let cause = execution.stop else { return [] }
        if let killAt = execution.killAt, killAt <= instant {
            execution.killAt = nil
            execution.abandonAt = instant + killPatienceMilliseconds
            executions[key] = execution
            return [.kill(key)]
        }
        if let abandonAt = execution.abandonAt, abandonAt <= instant {
            execution.abandonAt = nil
            execution.isAbandoned = true
            // A stopping runner does not wait for it: the attempt ends with the process.
            executions[key] = isStopping ? nil : execution
            completions.append(
                Completion(task: key.task, token: key.token, ending: .abandoned(cause)))
        }
        return []
    }
}
