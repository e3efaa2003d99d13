import SluiceModel
import SluicePlatform
import SluiceStore

/// The locks that show other processes which are alive: the runner's own lock, and the locks of its
/// commands (A2).
extension RunnerLoop {
    /// Takes the runner's lock again after its file was removed or replaced. The lease in the store
    /// stays valid, so no process treats the runner as dead. Without the lock no task starts, and
    /// running attempts get a stop request.
    func keepLock() {
        guard loss == nil else { return }
        do {
            guard let path = try attachment.keepLock() else { return }
            let told = QueueError(
                .changed, "the lock file \(path) was removed or replaced, and is made anew",
                fix: "do not touch the files next to a store in use")
            runner.onEvent(.troubled(told))
            if isLockLost { pending.append(.lease(isHeld: true)) }
            isLockLost = false
        } catch {
            trouble(error)
            if !isLockLost { pending.append(.lease(isHeld: false)) }
            isLockLost = true
            agenda.retryLater(at: instant)
        }
    }

    /// Handles a settled attempt: removes the lock of its command, unless a process of it
    /// continues.
    func tell(_ settled: Settled) {
        if settled.isOrphaned {
            agenda.wantReap(at: instant)
        } else if let attempt = settled.attempt {
            removeChildLock(of: attempt)
        }
        runner.onEvent(.settled(settled))
    }

    /// Removes the lock file of an ended child. A success without a child has none.
    private func removeChildLock(of attempt: AttemptRecord) {
        guard attempt.childPID != nil || attempt.outcome != .success,
            let folder = runner.store.runFolder
        else { return }
        let name = Reaper.childLockName(
            process: attachment.process.id, task: attempt.task, attempt: attempt.number)
        if Files.exists("\(folder)/\(name)") { try? Files.remove("\(folder)/\(name)") }
    }
}
