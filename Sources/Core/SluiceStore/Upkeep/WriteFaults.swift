package import SluiceModel
import SluiceSystem

/// Makes a store fail on purpose, so that tests can check that failures leave no changes (P2).
///
/// An engine with faults calls `step` before each change (a `StoreWriter` primitive in memory, a
/// statement in a database) and before each non-empty commit.
package final class WriteFaults: Sendable {
    private struct Plan {
        var steps = 0
        var failing: Int?
        var code = QueueError.Code.diskFull
        var killing: Int?
    }

    private let plan = Protected(Plan())

    /// No fault yet.
    package init() {}

    /// Resets the count. From the `step`-th on (1 is the next) each step fails like a full disk, or
    /// with `readOnly` like a read-only one. `nil` ends the faults.
    package func fail(from step: Int?, as code: QueueError.Code = .diskFull) {
        plan.withLock { $0 = Plan(failing: step, code: code) }
    }

    /// Resets the count. At the `step`-th step (1 is the next) this process kills itself as with
    /// `kill -9`. The end of a commit then also counts as a step.
    package func kill(at step: Int) {
        plan.withLock { $0 = Plan(killing: step) }
    }

    /// How many changes and commits there were since `fail(from:)`.
    package var steps: Int { plan.withLock { $0.steps } }

    /// One change or commit: counts it, and throws where it shall fail.
    package func step() throws(QueueError) {
        switch counted() {
        case nil: return
        case .readOnly?: throw .readOnlyStore("the disk")
        case let code?:
            throw QueueError(
                code, "the disk is full, so nothing was changed", fix: "make room and repeat it")
        }
    }

    /// A commit succeeded; observers have no notice yet.
    package func committed() {
        if plan.withLock({ $0.killing != nil }) { _ = counted() }
    }

    private func counted() -> QueueError.Code? {
        let (failure, dies) = plan.withLock { plan -> (QueueError.Code?, Bool) in
            plan.steps += 1
            let fails = plan.failing.map { plan.steps >= $0 } ?? false
            return (fails ? plan.code : nil, plan.steps == plan.killing)
        }
        if dies { try? Signal.kill.sendToSelf() }
        return failure
    }
}
