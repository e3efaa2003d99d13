/// The invariants of a task.
///
/// A change that would break one is a programming error. Sluice rejects it before the write, so no
/// reader sees a wrong value.
extension QueueTask {
    /// The invariant that a change to `after` breaks, in words; `nil` if all hold.
    package func broken(by after: QueueTask) -> String? {
        if after.id != id || after.createdAt != createdAt { return "it is another task" }
        if after.attempts < 0 { return "its attempts are below 0" }
        if after.executions < executions { return "its executions go back" }
        if after.version < version { return "its version goes back" }
        let isSame = after.state.name == state.name && after.attempts == attempts
        if !isSame && after.version == version { return "its version does not grow" }
        guard let lease = after.running else { return nil }
        if lease.owner < 1 { return "it runs without an owner" }
        let isLast = running != nil || lease.attempt == after.executions
        return isLast ? nil : "it begins to run in an attempt that is not its last"
    }
}

extension QueueError {
    /// A change of a task that breaks what always holds.
    package static func broken(_ id: TaskID, _ what: String) -> QueueError {
        QueueError(
            .notLegal, "#\(id) was left as it was, for the change is wrong: \(what)",
            fix: "this is a mistake of the program; sluice report \(id) has what a maintainer asks")
    }
}
