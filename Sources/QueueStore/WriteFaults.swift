import Platform
public import QueueModel

/// Makes a store fail on purpose, so that a test sees that what fails leaves nothing behind (P2).
///
/// An engine that was given one calls `step` before each change that it makes (in memory a
/// primitive of `StoreWriter`, in a database a statement) and before each commit that has
/// something to keep.
public final class WriteFaults: Sendable {
    private struct Plan {
        var steps = 0
        var failing: Int?
        var code = QueueError.Code.diskFull
    }

    private let plan = Protected(Plan())

    /// No fault yet.
    public init() {}

    /// Counts from 0 again; from the `step`-th on (1 is the next one) each fails as on a disk that
    /// is full, or with `readOnly` as on one that takes no change. Nil heals the disk.
    public func fail(from step: Int?, as code: QueueError.Code = .diskFull) {
        plan.withLock { $0 = Plan(failing: step, code: code) }
    }

    /// How many changes and commits there were since `fail(from:)`.
    public var steps: Int { plan.withLock { $0.steps } }

    /// One change or commit: counts it, and throws where it shall fail.
    public func step() throws(QueueError) {
        let failure: QueueError.Code? = plan.withLock { plan in
            plan.steps += 1
            guard let failing = plan.failing, plan.steps >= failing else { return nil }
            return plan.code
        }
        switch failure {
        case nil: return
        case .readOnly?: throw .readOnlyStore("the disk")
        case let code?:
            throw QueueError(
                code, "the disk is full, so nothing was changed", fix: "make room and repeat it")
        }
    }
}
