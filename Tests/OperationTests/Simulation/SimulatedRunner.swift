import SluiceModel

@testable import SluiceRunner
@testable import SluiceStore

/// The shell around a runner's machine: what a thread does for the real one, in turns.
struct SimulatedRunner {
    struct Handler {
        /// The time of its natural end; `nil` if it hangs.
        var endsAt: Int64?
        var outcome: HandlerOutcome
        /// Whether it obeys a stop.
        var isObedient: Bool
    }

    let process: ProcessID
    var machine: RunnerMachine
    var inFlight: [ExecutionKey: Handler] = [:]
    var pending: [RunnerInput] = [.offered]
    var isFinished = false
    /// Completions whose commit failed.
    private var unsettled: [Completion] = []
    private var unreleased: [(task: TaskID, attempt: Int)] = []

    init(_ process: ProcessID, slots: Int) {
        self.process = process
        var options = RunnerOptions()
        options.slots = slots
        machine = RunnerMachine(options: options, runner: process)
    }

    /// Polls, processes events, and performs the machine's effects.
    mutating func turn(in world: World) throws {
        let (instant, now) = (world.instant, world.now)
        if !unsettled.isEmpty {
            let completions = unsettled
            unsettled = []
            try commit(completions, nil, world)
        }
        unreleased.removeAll { one in
            world.attempt { try $0.release(one.task, attempt: one.attempt) } != nil
        }
        for (key, handler) in inFlight.sorted(by: { $0.key.task < $1.key.task }) {
            guard let end = handler.endsAt, end <= instant else { continue }
            world.auditor.ceased(key.task, token: key.token)
            inFlight[key] = nil
            pending.append(.ended(key, ExecutionEnd(outcome: handler.outcome)))
        }
        try look(world)
        for _ in 0..<World.taskLimit {
            let heard = pending.isEmpty ? [.tick] : pending
            pending = []
            let effects = machine.handle(heard, instant: instant, now: now)
            for effect in effects { try perform(effect, world) }
            if pending.isEmpty { return }
        }
        world.auditor.complain("worker \(process) does not come to rest")
    }

    private mutating func look(_ world: World) throws {
        let (id, now, inFlight) = (process, world.now, machine.executions.count)
        let look = try world.store.readBlocking {
            try RunnerPoll(
                $0, runner: id, now: now, wantsWork: true, inFlight: inFlight)
        }
        pending.append(.looked(look))
    }

    private mutating func perform(_ effect: RunnerEffect, _ world: World) throws {
        switch effect {
        case .commit(let completions, let claim): try commit(completions, claim, world)
        case .start(let claimed): start(claimed, world)
        case .stop(let key, _):
            if inFlight[key]?.isObedient == true {
                inFlight[key]?.endsAt = world.instant + Int64(world.random.below(100))
            }
        // Handler outcomes are random despite injections, and runners die in other ways.
        case .kill, .writeProgress, .askNetwork, .proceed, .crash, .lack: break
        case .announceStop(let begun): announceStop(begun, world)
        case .writeNetwork(let state):
            let id = process
            _ = world.attempt { try $0.setNetwork(state, of: id) }
            try look(world)
        case .look: try look(world)
        case .release(let task, let attempt):
            if world.attempt({ try $0.release(task, attempt: attempt) }) == nil {
                unreleased.append((task, attempt))
            }
        case .workOffWakes:
            _ = world.attempt { try $0.workOffWakes() }
            try look(world)
        case .finish: finish(world)
        }
    }

    private mutating func commit(
        _ completions: [Completion], _ claim: ClaimRequest?, _ world: World
    ) throws {
        let answer = world.attempt { mutation -> ([Claimed], [Settled]) in
            let settled = try mutation.settle(completions)
            return (try claim.map { try mutation.claim($0) } ?? [], settled)
        }
        guard let (claimed, settled) = answer else {
            unsettled += completions
            return
        }
        world.auditor.settled(settled, at: world.shown)
        pending.append(.committed(claimed, settled))
        if claim != nil { try look(world) }
    }

    private mutating func start(_ claimed: Claimed, _ world: World) {
        guard let lease = claimed.task.running else { return }
        let key = ExecutionKey(task: claimed.task.id, token: lease.token)
        // A directly dispatched task was judged at its claim.
        if world.handed.removeValue(forKey: key) == nil {
            world.auditor.started(key.task, lease, at: world.shown)
        }
        inFlight[key] = handler(world)
    }

    private func handler(_ world: World) -> Handler {
        let ends = world.instant + Int64(world.random.below(600))
        let draw = world.isCalm ? 0 : world.random.below(100)
        let outcome: HandlerOutcome =
            switch draw {
            case 60..<78: .retry(afterMilliseconds: nil, error: "no")
            case 78..<82: .giveUp(error: "never")
            case 82..<85: .park(error: nil)
            case 85..<87:
                .pauseQueue(milliseconds: World.handlerPause, isCounted: false, error: nil)
            case 87..<90: .offline(error: nil)
            case 90..<100: .retry(afterMilliseconds: nil, error: "told to stop")
            default: .success(result: nil)
            }
        // The last tenth hangs: half of them ends when told to, half much later.
        let hangs = draw >= 90
        let isObedient = draw < 95
        let end = hangs ? (isObedient ? nil : world.instant + 20_000) : ends
        return Handler(endsAt: end, outcome: outcome, isObedient: isObedient)
    }

    private func announceStop(_ begun: Set<TaskID>, _ world: World) {
        let id = process
        guard let settled = world.attempt({ try $0.announceStop(of: id, begun: begun) })
        else { return }
        world.forgetHanded(of: process)
        world.auditor.settled(settled, at: world.shown)
    }

    /// Detaches the runner, and ends its running attempts.
    private mutating func finish(_ world: World) {
        let id = process
        for key in inFlight.keys { world.auditor.ceased(key.task, token: key.token) }
        inFlight = [:]
        // A failed settlement is retried in its next turn.
        guard unsettled.isEmpty, let left = world.attempt({ try $0.detach(id) }) else { return }
        world.forgetHanded(of: id)
        world.auditor.settled(left, at: world.shown)
        isFinished = true
    }
}
