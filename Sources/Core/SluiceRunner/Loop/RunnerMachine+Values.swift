import SluiceModel
import SluiceStore

extension RunnerMachine.Execution {
    /// The start of an attempt with its injected fault (G2).
    mutating func meet(
        _ injection: Injection?, _ key: ExecutionKey, instant: Int64
    ) -> RunnerEffect {
        switch injection?.kind {
        case .crashBefore: return .crash(key)
        case .timeOut: deadline = instant
        case .delay(let milliseconds): proceedAt = instant + milliseconds
        default: break
        }
        return .start(claimed)
    }
}

enum RunnerInput: Hashable, Sendable {
    case looked(RunnerPoll)
    /// It has free slots, and begins to offer them.
    case offered
    /// Tasks claimed for it by enqueues.
    case handed([Claimed])
    case committed([Claimed], [Settled])
    /// Requests to stop its attempts, as a commit read them.
    case stops([ExecutionKey: StopCause])
    /// A handler came to its end.
    case ended(ExecutionKey, ExecutionEnd)
    /// A handler said something of itself.
    case progress(ExecutionKey, AttemptProgress, isUrgent: Bool)
    case network(NetworkState)
    /// Whether it may count on its lease (A2): while it may not, nothing is begun.
    case lease(isHeld: Bool)
    case stop(isUrgent: Bool)
    /// Time has passed.
    case tick
}

extension RunnerInput {
    /// Whether it brings executions that begin.
    var hasClaimed: Bool {
        if case .committed(let claimed, _) = self { !claimed.isEmpty } else { false }
    }

    /// Whether an execution said something of itself that may wait.
    var isProgress: Bool {
        if case .progress(_, _, isUrgent: false) = self { true } else { false }
    }

    var isEnd: Bool { if case .ended = self { true } else { false } }
}

extension RunnerEffect {
    /// Whether an execution begins.
    var isStart: Bool { if case .start = self { true } else { false } }
}

struct ExecutionEnd: Hashable, Sendable {
    var outcome: HandlerOutcome
    var restarts = false
    var followUps: [FollowUp] = []
    var progress = AttemptProgress()
    var chance = 0.5
    /// The reason why it could not start, if the runner and not the task is the cause.
    var shortage: String?
}

extension Claimed {
    var key: ExecutionKey? {
        task.running.map { ExecutionKey(task: task.id, token: $0.token) }
    }

    /// It waits again, not counted: what took it came too late to be executed here.
    var givenBack: Completion? { key?.givenBack }
}

extension ExecutionKey {
    /// Its task waits again, not counted.
    var givenBack: Completion {
        Completion(task: task, token: token, ending: .stopped(.stopped))
    }
}

extension Completion {
    var key: ExecutionKey { ExecutionKey(task: task, token: token) }

    var isOffline: Bool {
        if case .handler(.offline, _) = ending { true } else { false }
    }
}

/// Ends that come while a commit waits for its turn at a server.
extension RunnerMachine {
    /// The executions that began first, in this order: the next ends are most often theirs.
    func oldest(_ count: Int) -> [ExecutionKey] {
        let keys = executions.keys.sorted { $0.token < $1.token }
        return Array(keys.prefix(count))
    }

    /// Takes an end that the waiting commit can settle; nil for an end that needs another effect,
    /// which changes nothing.
    mutating func settleLate(
        _ key: ExecutionKey, _ end: ExecutionEnd, instant: Int64
    ) -> Completion? {
        var next = self
        var completions: [Completion] = []
        let effects = next.ended(key, end, instant: instant, &completions)
        guard effects.isEmpty, completions.count == 1, let completion = completions.first,
            !completion.isOffline
        else { return nil }
        next.settling.insert(completion.key)
        self = next
        return completion
    }
}

extension RunnerInput {
    var isStop: Bool { if case .stop = self { true } else { false } }
}
