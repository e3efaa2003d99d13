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
