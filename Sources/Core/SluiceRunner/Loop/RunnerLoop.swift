import SluiceModel
import SluiceStore
import SluiceSystem

/// The thread of a runner: waits for inputs, passes them to the machine, and performs the effects.
final class RunnerLoop: @unchecked Sendable {
    // Used only on the runner's thread, except for data that `Runner` shares.
    let runner: Runner
    let attachment: Attachment
    var machine: RunnerMachine
    private let inFlight = RunningExecutions()
    private let lease: LeaseGuard?
    private var observation: (any StoreObservation)?
    private var isNotified = true
    /// When its notices were muted; nil while it is notified.
    private var mutedAt: Int64?
    var pending: [RunnerInput] = []
    private var isFinished = false
    /// The due times of other work than tasks.
    var agenda: RunnerAgenda
    /// Completions whose commit failed.
    var unsettled: [Completion] = []
    var unreleased: [(task: TaskID, attempt: Int)] = []
    var unwrittenNetwork: NetworkState?
    var network: NetworkState?
    /// The number of group members to change in one commit.
    var batch = WakeBatchSize()
    /// The last reported error, so that each is reported once.
    var toldTrouble: QueueError?
    /// Whether a second stop request came: then failed writes are no longer retried.
    private var isUrgent = false
    /// The error that made the store unusable. The runner stops its attempts and ends.
    var loss: QueueError?
    /// The number of consecutive times when a claim did not get visible work.
    var doubts = 0
    /// Whether the lock could not be taken again.
    var isLockLost = false
    /// The last reported reason why attempts could not start, and its time.
    var toldLack: (reason: String, at: Int64)?
    /// How many executions began last, and when.
    private var begunTogether: (count: Int, at: Int64) = (0, 0)
    /// How many ends a commit at a server expects while it waits for its lock.
    var lateAllowance = LateAllowance()
    /// How long it waits for more ends before a commit.
    var gathering = EndGathering()
    /// The queues of its last claim.
    var claimedQueues: [String] = []
    var writtenRow: ServedRow

    init(_ runner: Runner, attachment: Attachment) throws {
        self.runner = runner
        self.attachment = attachment
        let process = attachment.process
        agenda = RunnerAgenda(isShared: runner.store.isShared)
        writtenRow = ServedRow(types: process.types, brokers: process.brokers)
        machine = RunnerMachine(
            options: runner.options, runner: attachment.process.id,
            limits: { [runner] in runner.handler(of: $0)?.timeoutMilliseconds })
        let inbox = runner.inbox
        lease = try LeaseGuard(
            runner.store, process: attachment.process.id, inFlight: inFlight, inbox: inbox)
        observation = try runner.store.observe { inbox.notice() }
    }

    /// Reports that the system's notices of changes stop or return.
    private func reportWatch() {
        guard let observation, observation.isNotified != isNotified else { return }
        isNotified.toggle()
        runner.onEvent(.told(isNotified))
    }

    var instant: Int64 { SystemClock.monotonicMilliseconds() }

    func run() {
        runner.onEvent(.attached(attachment.process.id))
        // No notice comes for processes that died before this runner watched.
        agenda.wantReap(at: instant)
        reapIfDue()
        if !runner.options.takesOnlyPermits {
            agenda.keepHouse(at: instant)
            pending.append(.offered)
        }
        look()
        while !isFinished || !unsettled.isEmpty { turn() }
        leave()
    }

    /// Waits for inputs or due work, and processes them.
    private func turn() {
        let isNoticed = receive()
        reportWatch()
        agenda.woke(isNoticed: isNoticed, at: instant)
        if isNoticed, machine.isIdle { claimImmediately() }
        let isBusy = !pending.isEmpty || machine.isFull
        let begins = pending.contains(where: \.hasClaimed)
        if !begins, agenda.isPollDue(at: instant, isBusy: isBusy) { look() }
        let pause = runner.options.housekeepingMilliseconds
        if agenda.consumeHousekeeping(at: instant, pause: pause) { housekeep() }
        if agenda.consumeSchedule(at: instant) { enqueueScheduled() }
        if agenda.consumeRetry(at: instant) { retry() }
        let heard = pending.isEmpty ? [.tick] : pending
        pending = []
        hurry(heard)
        let effects = machine.handle(heard, instant: instant, now: runner.now())
        let begun = effects.count(where: \.isStart)
        for effect in effects { perform(effect) }
        if begun > 0 { begunTogether = (begun, instant) }
        reapIfDue()
        if runner.options.endsWhenEmpty, !machine.isStopping, pending.isEmpty,
            !agenda.polls.isWanted
        {
            endIfEmpty()
        }
    }

    /// Receives inputs. Returns whether the store changed.
    ///
    /// Claimed tasks start before the runner receives more. If fewer attempts ended than recently
    /// started together, it waits a tenth of a millisecond for the others, so that one commit
    /// settles them all.
    private func receive() -> Bool {
        guard !pending.contains(where: \.hasClaimed) else { return false }
        let machineSleep = machine.sleepMilliseconds(instant: instant, now: runner.now())
        let sleep = agenda.sleepMilliseconds(
            at: instant, hasMore: !pending.isEmpty, isFull: machine.isFull, machine: machineSleep)
        var (inputs, isNoticed) = take(sleepMilliseconds: sleep)
        let ended = inputs.count(where: \.isEnd)
        if ended > 0, ended < begunTogether.count, instant - begunTogether.at <= 1 {
            Thread.pause(microseconds: 100)
            let more = runner.inbox.take(sleepMilliseconds: 0)
            (inputs, isNoticed) = (inputs + more.inputs, isNoticed || more.isNoticed)
        }
        isNoticed = gather(&inputs) || isNoticed
        pending += inputs
        return isNoticed
    }

    /// Takes inputs, and listens to notices again after a millisecond without any. Each commit of a
    /// busy runner reads changes, so that notices of these commits are not worth a wake. It listens
    /// ten times a second in any case, for requests to stop and for dead processes.
    private func take(sleepMilliseconds sleep: Int64?) -> (inputs: [RunnerInput], isNoticed: Bool) {
        guard let mutedAt, sleep != 0 else { return runner.inbox.take(sleepMilliseconds: sleep) }
        let first = runner.inbox.take(sleepMilliseconds: min(sleep ?? 1, 1))
        let isAtRest = first.inputs.isEmpty && !first.isNoticed
        guard isAtRest || instant - mutedAt >= 100 else { return first }
        self.mutedAt = nil
        observation?.listen()
        guard isAtRest else { return first }
        return runner.inbox.take(sleepMilliseconds: sleep.map { $0 - 1 })
    }

    private func muteNotices() {
        guard mutedAt == nil, observation?.mute() == true else { return }
        mutedAt = instant
    }

    /// After a second stop request, tries failed writes one last time.
    private func hurry(_ inputs: [RunnerInput]) {
        let isNotified = inputs.contains { input in
            if case .stop(isUrgent: true) = input { true } else { false }
        }
        guard isNotified, !isUrgent else { return }
        isUrgent = true
        agenda.hurry(at: instant)
    }

    /// Does once more what failed.
    private func retry() {
        let (completions, ended) = (unsettled, unreleased)
        (unsettled, unreleased) = ([], [])
        if !completions.isEmpty { commit(completions, nil) }
        release(ended)
        if let unwrittenNetwork { write(unwrittenNetwork) }
        look()
    }

    /// Removes expired data every ten minutes, in slices (Q9, D9).
    private func housekeep() {
        let now = runner.now()
        attempt {
            let isCut = try runner.store.transactBlocking(at: now) { try $0.housekeep() }
            if isCut { agenda.keepHouse(at: instant + 50) }
        }
    }

    /// Polls the store; the result becomes the next input.
    func look(mayStopAtWork: Bool = true) {
        agenda.polls.look(at: instant)
        keepLock()
        let (id, now, inFlight) = (attachment.process.id, runner.now(), machine.executions.count)
        let wantsWork = inFlight < slots && !machine.isStopping
        attempt {
            try meetQueues()
            let store = runner.store
            let read = {
                try store.readBlocking {
                    try RunnerPoll(
                        $0, runner: id, now: now, wantsWork: wantsWork, inFlight: inFlight,
                        mayStopAtWork: mayStopAtWork)
                }
            }
            var look = try read()
            if look.isUnknown { try attachAgain() }
            if look.isUnknown { look = try read() }
            if look.hasInbox {
                // A claim takes the inbox in, and claims from it, before any look could.
                if wantsWork, machine.claimRequest() != nil {
                    pending.append(.offered)
                    agenda.polls.foundInbox()
                } else if collectInbox() {
                    look = try read()
                }
            }
            if look.hasPermit {
                // It died with its issuer, if that is dead (D3).
                try reap()
                look = try read()
            }
            agenda.polls.isFirst = look.isFirst
            agenda.expectSchedule(
                in: look.nextSchedule.map { $0 - now }, isFirst: look.isFirst, at: instant)
            pending.append(.looked(look))
            if unsettled.isEmpty, unreleased.isEmpty, unwrittenNetwork == nil { toldTrouble = nil }
        } orElse: {
            agenda.retryLater(at: instant)
        }
    }

    /// Lets a write take in what an application left (T4); one that fails is tried again.
    func collectInbox() -> Bool {
        do {
            try runner.store.writeBlocking { _ in }
            return true
        } catch {
            trouble(error)
            agenda.retryLater(at: instant)
            return false
        }
    }

    private func attachAgain() throws {
        try attachment.attachAgain {
            $0.isStopping = machine.isStopping
            $0.network = network ?? $0.network
            runner.servedRow.put(into: &$0)
        }
        // At a server the end of the lease stopped the attempts before other processes took the
        // tasks.
        guard runner.store.heartbeats == nil else { return }
        pending += [.lease(isHeld: false), .lease(isHeld: true)]
    }

    /// Cleans up after dead processes (A2); new tasks start first.
    private func reapIfDue() {
        guard loss == nil, agenda.consumeReap(at: instant, isIdle: pending.isEmpty) else { return }
        attempt { try reap() }
    }

    private func reap() throws {
        agenda.reaps(at: instant)
        var random = SystemRandom()
        let chance = Double.random(in: 0..<1, using: &random)
        let found = try Reaper.reapTheDead(
            in: runner.store, now: runner.now(), instant: instant, chance: chance)
        for task in found.settled { runner.onEvent(.settled(task)) }
        let orphanGrace = Reaper.orphanGraceMilliseconds + 100
        let orphansEnd = found.hasOrphans ? instant + orphanGrace : nil
        let lockMade = found.hasUnlocked ? instant + 1000 : nil
        agenda.expectDeath(
            at: [orphansEnd, lockMade, found.nextEditEnd].compactMap { $0 }.min())
    }

    private func perform(_ effect: RunnerEffect) {
        switch effect {
        case .commit(let completions, let claim): commit(completions, claim)
        case .start(let claimed): start(claimed)
        case .proceed(let key): inFlight.proceed(key)
        case .crash(let key): crash(at: key)
        case .stop(let key, let cause): inFlight.stop(key, cause)
        case .kill(let key): inFlight.kill(key)
        case .release(let task, let attempt): release([(task, attempt)])
        case .workOffWakes: workOffWakes()
        case .writeProgress(let progress): write(progress)
        case .writeNetwork(let state): write(state)
        case .askNetwork: runner.network?.ask()
        case .announceStop(let begun): announceStop(begun: begun)
        case .look: look()
        case .lack(let reason, let milliseconds): tellLack(reason, milliseconds)
        case .finish: isFinished = true
        }
    }

    /// Settles and claims in one commit; a completion is kept until a commit holds it.
    private func commit(_ completions: [Completion], _ claim: ClaimRequest?) {
        if loss != nil { return pending.append(.committed([], [])) }
        let late = lateEnds()
        do {
            let (claimed, settled, stops) = try settle(completions, claim, late)
            let completions = late.map { completions + $0.completions } ?? completions
            if let late { record(late, stops) }
            agenda.worked()
            if !claimed.isEmpty { muteNotices() }
            if !claimed.isEmpty, runner.store.isShared {
                claimedQueues = Self.queues(of: claimed)
            }
            if !claimed.isEmpty || completions.isEmpty {
                agenda.polls.found(claimed.count, of: slots)
            }
            for completion in completions {
                inFlight.remove(ExecutionKey(task: completion.task, token: completion.token))
            }
            for task in settled { tell(task) }
            pending.append(.committed(claimed, settled))
            guard claim != nil else { return }
            agenda.polls.isWanted = true
            // After an empty claim, poll immediately, before other processes change the tasks.
            guard claimed.isEmpty, settled.isEmpty else { return doubts = 0 }
            look(mayStopAtWork: false)
            if machine.isIdle, case .looked(let seen)? = pending.last, seen.hasWork { doubt() }
        } catch {
            let told = trouble(error)
            // The results are not lost: they go again, a little later each time; so does a claim.
            guard loss == nil else { return }
            if isUrgent, !completions.isEmpty { return runner.fail(told) }
            unsettled += completions + (late?.completions ?? [])
            agenda.retryLater(at: instant)
        }
    }

    private func start(_ claimed: Claimed) {
        guard let lease = claimed.task.running else { return }
        let key = ExecutionKey(task: claimed.task.id, token: lease.token)
        let inbox = runner.inbox
        let execution = Execution(
            claimed, lease, process: attachment.process.id, store: runner.store)
        guard let handler = runner.handler(of: claimed.task) else {
            let error = lacksHandler(for: claimed.task)
            inbox.put(.ended(key, ExecutionEnd(outcome: .park(error: error))))
            return
        }
        let report = Report(
            execution, handler: handler, attemptLimit: claimed.attemptLimit,
            tell: { inbox.put(.progress(key, $0, isUrgent: $1)) },
            end: { inbox.put(.ended(key, $0)) })
        runner.onEvent(.started(execution))
        let running = InjectedStart.start(lease.injection, handler, execution, report: report)
        inFlight.add(key, running, report)
    }

    /// Dies like `kill -9`; if the signal fails, it exits.
    private func crash(at key: ExecutionKey) {
        try? Signal.kill.sendToSelf()
        fatalError("the worker was to die of a fault injected into #\(key.task)")
    }

    private func leave() {
        observation = nil
        lease?.stop()
        runner.network?.stop()
        attempt { try attachment.detach(now: runner.now()) }
        runner.onEvent(.ended)
    }
}

/// Schedules: any runner enqueues the tasks of all queues (R2).
extension RunnerLoop {
    /// Enqueues what schedules have due, in one commit; another runner may have been faster.
    func enqueueScheduled() {
        let now = runner.now()
        attempt {
            let done = try runner.store.transactBlocking(at: now) { try $0.enqueueScheduled() }
            if let lack = done.lacking.first {
                trouble(lack)
                agenda.letSchedulesRest(at: instant)
            }
            look()
        } orElse: {
            agenda.retryLater(at: instant)
        }
    }
}
