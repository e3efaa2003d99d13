import SluiceModel
import SluiceStore

extension RunnerMachine.Execution {
    /// How it begins with what was injected into it (G2).
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

extension RunnerInput {
    /// Whether it brings executions that begin.
    var hasClaimed: Bool {
        if case .committed(let claimed, _) = self { !claimed.isEmpty } else { false }
    }

    /// Whether an execution has ended.
    var isEnd: Bool { if case .ended = self { true } else { false } }
}

extension RunnerEffect {
    /// Whether an execution begins.
    var isStart: Bool { if case .start = self { true } else { false } }
}
