package import SluiceModel
import SluicePlatform

/// Makes a store fail on purpose, so that a test sees that what fails leaves nothing behind (P2).
///
/// An engine that was given one calls `step` before each change that it makes (in memory a
/// primitive of `StoreWriter`, in a database a statement) and before each commit that has
/// something to keep.
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

    /// Counts from 0 again; from the `step`-th on (1 is the next one) each fails as on a disk that
    /// is full, or with `readOnly` as on one that takes no change. Nil heals the disk.
    package func fail(from step: Int?, as code: QueueError.Code = .diskFull) {
        plan.withLock { $0 = Plan(failing: step, code: code) }
    }

    /// Counts from 0 again; at the `step`-th (1 is the next one) this process kills itself as
    /// kill -9 would. What comes after a commit is a step then too.
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

    /// A commit went through, and nobody was told yet.
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
