import SluiceModel
import SluicePlatform
import SluiceStore

/// The thread of a runner: sleeps until something happens, asks the machine, does what it says.
final class RunnerLoop: @unchecked Sendable {
    // Of the runner's thread alone, apart from what `Runner` shares.
    let runner: Runner
    let attachment: Attachment
    private(set) var machine: RunnerMachine
    private let inHand = InHand()
    private let lease: LeaseGuard?
    private var observation: (any StoreObservation)?
    private var isTold = true
    var pending: [RunnerInput] = []
    private var isFinished = false
    var troubles = 0
    private var lastBurial: Int64 = 0
    var burialAt: Int64?
    /// Completions whose commit failed, and when they are tried again.
    var unsettled: [Completion] = []
    var unreleased: [(task: TaskID, attempt: Int)] = []
    var unwrittenNetwork: NetworkState?
    var network: NetworkState?
    var retryAt: Int64?
    /// How much is done for members of groups in one commit.
    var pace = WakePace()
    /// The trouble that was told last, so that the same one is told once.
    var toldTrouble: QueueError?
    /// Whether it was told to stop once more: what cannot be written then is not waited for.
    private var isUrgent = false
    /// Why nothing can be read or written any more: what runs is stopped, and that is the end.
    var loss: QueueError?
    /// How often in succession work was found that could not be taken.
    var doubts = 0
    /// When the store is next relieved of what it need not keep; nil for a runner of steps alone.
    var housekeepingAt: Int64?
    /// Since when the store may hold dead whom nobody has found.
    var burialWantedAt: Int64?
    var looks = LookPace()
    /// Whether its lock could not be taken anew.
    var isLockLost = false
    /// What its row says of brokers, and of the queues that two of them want.
    var writtenBrokers: [QueueBroker]
    var writtenContests: [ContestedQueue] = []

    init(_ runner: Runner, attachment: Attachment) throws {
        self.runner = runner
        self.attachment = attachment
        writtenBrokers = attachment.process.brokers
        machine = RunnerMachine(
            options: runner.options, runner: attachment.process.id,
            limits: { [runner] in runner.handler(of: $0)?.timeoutMilliseconds })
        let inbox = runner.inbox
        lease = try LeaseGuard(
            runner.store, process: attachment.process.id, inHand: inHand, inbox: inbox)
        observation = try runner.store.observe { inbox.notice() }
    }

    /// Says when the system stops or begins to tell of changes.
    private func tellWatch() {
        guard let observation, observation.isTold != isTold else { return }
        isTold.toggle()
        runner.onEvent(.told(isTold))
    }

    var instant: Int64 { SystemClock.monotonicMilliseconds() }

    func run() {
        runner.onEvent(.attached(attachment.process.id))
        // Who died before this runner watched is told by nobody.
        buryTheDead()
        if !runner.options.takesOnlyPermits {
            housekeepingAt = instant
            pending.append(.offered)
        }
        look()
        while !isFinished || !unsettled.isEmpty {
            var sleep = machine.sleepMilliseconds(instant: instant, now: runner.now())
            let lookAt = looks.dueAt(hasMore: !pending.isEmpty)
            for moment in [burialAt, retryAt, housekeepingAt, lookAt].compactMap({ $0 }) {
                sleep = min(sleep ?? .max, max(0, moment - instant))
            }
            if !pending.isEmpty { sleep = 0 }
            let (inputs, isNoticed) = runner.inbox.take(sleepMilliseconds: sleep)
            pending += inputs
            tellWatch()
            let isBurialDue = burialAt.map { $0 <= instant } ?? false
            if isNoticed || isBurialDue { looks.isWanted = true }
            if isNoticed, machine.isIdle { takeAtOnce() }
            if let due = looks.dueAt(hasMore: !pending.isEmpty), due <= instant { look() }
            if let due = housekeepingAt, due <= instant { housekeep() }
            if let due = retryAt, due <= instant { retry() }
            let heard = pending.isEmpty ? [.tick] : pending
            pending = []
            hurry(heard)
            for effect in machine.hear(heard, instant: instant, now: runner.now()) {
                perform(effect)
            }
            if isNoticed || isBurialDue { burialWantedAt = burialWantedAt ?? instant }
            buryIfIdle()
            if runner.options.endsWhenEmpty, !machine.isStopping, pending.isEmpty, !looks.isWanted {
                endIfEmpty()
            }
        }
        leave()
    }

    /// Told to stop once more, it tries a last time to write what it could not.
    private func hurry(_ inputs: [RunnerInput]) {
        let isTold = inputs.contains { input in
            if case .stop(isUrgent: true) = input { true } else { false }
        }
        guard isTold, !isUrgent else { return }
        isUrgent = true
        if retryAt != nil { retryAt = instant }
    }

    /// Does once more what failed.
    private func retry() {
        retryAt = nil
        let (completions, ended) = (unsettled, unreleased)
        (unsettled, unreleased) = ([], [])
        if !completions.isEmpty { commit(completions, nil) }
        release(ended)
        if let unwrittenNetwork { write(unwrittenNetwork) }
        look()
    }

    /// Forgets what has been kept for its time, every ten minutes, and in slices (Q9, D9).
    private func housekeep() {
        let now = runner.now()
        housekeepingAt = instant + runner.options.housekeepingMilliseconds
        attempt {
            let isCut = try runner.store.transactBlocking(at: now) { try $0.housekeep() }
            if isCut { housekeepingAt = instant + 50 }
        }
    }

    /// What is new starts first: the dead wait until nothing else is to be done, or for 250 ms.
    private func buryIfIdle() {
        guard let since = burialWantedAt, pending.isEmpty || instant - since >= 250 else { return }
        burialWantedAt = nil
        buryTheDead()
    }

    /// Looks at the store; what it finds is heard next.
    func look(mayStopAtWork: Bool = true) {
        looks.look(at: instant)
        keepLock()
        let (id, now, inHand) = (attachment.process.id, runner.now(), machine.executions.count)
        let wantsWork = inHand < slots && !machine.isStopping
        attempt {
            try meetQueues()
            let store = runner.store
            let read = {
                try store.readBlocking {
                    try RunnerLook(
                        $0, runner: id, now: now, wantsWork: wantsWork, inHand: inHand,
                        mayStopAtWork: mayStopAtWork)
                }
            }
            var look = try read()
            if look.isUnknown { try attachAgain() }
            if look.isUnknown || look.hasInbox && takeInInbox() { look = try read() }
            if look.hasPermit {
                // It died with its issuer, if that is dead (D3).
                try bury()
                look = try read()
            }
            looks.isFirst = look.isFirst
            pending.append(.looked(look))
            if unsettled.isEmpty, unreleased.isEmpty, unwrittenNetwork == nil { toldTrouble = nil }
        } orElse: {
            retryAt = retryAt ?? instant + patience
        }
    }

    /// Lets a write take in what an application left (T4); one that fails is tried again.
    private func takeInInbox() -> Bool {
        do {
            try runner.store.writeBlocking { _ in }
            return true
        } catch {
            trouble(error)
            retryAt = retryAt ?? instant + patience
            return false
        }
    }

    private func attachAgain() throws {
        try attachment.attachAgain {
            $0.isStopping = machine.isStopping
            $0.network = network ?? $0.network
            ($0.brokers, $0.contested) = (runner.brokerRows, runner.contestedQueues)
        }
        // At a server its lease has told what runs to stop before others took it.
        guard runner.store.beats == nil else { return }
        pending += [.lease(isHeld: false), .lease(isHeld: true)]
    }

    /// Clears up behind processes that died, at most ten times a second (A2).
    private func buryTheDead() {
        guard loss == nil else { return }
        guard instant - lastBurial >= 100 else {
            burialAt = min(burialAt ?? .max, lastBurial + 100)
            return
        }
        attempt { try bury() }
    }

    private func bury() throws {
        lastBurial = instant
        burialAt = nil
        var random = SystemRandom()
        let chance = Double.random(in: 0..<1, using: &random)
        let found = try Undertaker.buryTheDead(
            in: runner.store, now: runner.now(), instant: instant, chance: chance)
        for task in found.settled { runner.onEvent(.settled(task)) }
        let patience = Undertaker.orphanPatienceMilliseconds + 100
        let orphansEnd = found.hasOrphans ? instant + patience : nil
        let lockMade = found.hasUnlocked ? instant + 1000 : nil
        burialAt = [orphansEnd, lockMade, found.nextEditEnd].compactMap { $0 }.min()
    }

    private func perform(_ effect: RunnerEffect) {
        switch effect {
        case .commit(let completions, let claim): commit(completions, claim)
        case .start(let claimed): start(claimed)
        case .stop(let key, let cause): inHand.stop(key, cause)
        case .kill(let key): inHand.kill(key)
        case .release(let task, let attempt): release([(task, attempt)])
        case .workOffWakes: workOffWakes()
        case .writeProgress(let progress): write(progress)
        case .writeNetwork(let state): write(state)
        case .askNetwork: runner.network?.ask()
        case .announceStop(let begun): announceStop(begun: begun)
        case .look: look()
        case .finish: isFinished = true
        }
    }

    /// Settles and claims in one commit; a completion is kept until a commit holds it.
    private func commit(_ completions: [Completion], _ claim: ClaimRequest?) {
        if loss != nil { return pending.append(.committed([], [])) }
        let (now, folder) = (runner.now(), runner.store.runFolder)
        do {
            let (claimed, settled) = try runner.store.transactBlocking(at: now) { mutation in
                let settled = try mutation.settle(completions) {
                    Undertaker.remains(of: $0, $1, folder: folder)
                }
                let claimed = try claim.map { try mutation.claim($0) } ?? []
                return (claimed, settled)
            }
            troubles = 0
            if !claimed.isEmpty || completions.isEmpty { looks.found(claimed.count, of: slots) }
            for completion in completions {
                inHand.remove(ExecutionKey(task: completion.task, token: completion.token))
            }
            for task in settled { tell(task) }
            pending.append(.committed(claimed, settled))
            guard claim != nil else { return }
            looks.isWanted = true
            // What is claimable right after a claim that gave nothing is judged at once, before
            // others change it.
            guard claimed.isEmpty, settled.isEmpty else { return doubts = 0 }
            look(mayStopAtWork: false)
            if machine.isIdle, case .looked(let seen)? = pending.last, seen.hasWork { doubt() }
        } catch {
            let told = trouble(error)
            // The results are not lost: they go again, a little later each time; so does a claim.
            guard loss == nil else { return }
            if isUrgent, !completions.isEmpty { return runner.fail(told) }
            unsettled += completions
            retryAt = instant + patience
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
        inHand.add(key, handler.start(execution, report: report), report)
    }

    private func leave() {
        observation = nil
        lease?.stop()
        runner.network?.stop()
        attempt { try attachment.detach(now: runner.now()) }
        runner.onEvent(.ended)
    }
}
