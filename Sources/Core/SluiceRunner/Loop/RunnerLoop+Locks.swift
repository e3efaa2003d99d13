import SluiceModel
import SluicePlatform
import SluiceStore

/// The locks by which others see what lives: the runner's own, and those of its commands (A2).
extension RunnerLoop {
    /// Takes the runner's lock anew where its file was removed or replaced: its lease stands in the
    /// store, and nobody takes it for dead because of that. While the lock cannot be taken, nothing
    /// is begun and what runs is told to stop.
    func keepLock() {
        guard loss == nil else { return }
        do {
            guard let path = try attachment.keepLock() else { return }
            let told = QueueError(
                .changed, "the lock file \(path) was removed or replaced, and is made anew",
                fix: "leave the files beside a store alone while it is in use")
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

    /// An execution was settled: its command's lock goes, unless something of it goes on.
    func tell(_ settled: Settled) {
        if settled.isOrphaned {
            agenda.wantReap(at: instant)
        } else if let attempt = settled.attempt {
            removeChildLock(of: attempt)
        }
        runner.onEvent(.settled(settled))
    }

    /// The lock file of a child that has ended is of no use to anybody; what succeeded by itself
    /// made none.
    private func removeChildLock(of attempt: AttemptRecord) {
        guard attempt.childPID != nil || attempt.outcome != .success,
            let folder = runner.store.runFolder
        else { return }
        let name = Reaper.childLockName(
            process: attachment.process.id, task: attempt.task, attempt: attempt.number)
        if Files.exists("\(folder)/\(name)") { try? Files.remove("\(folder)/\(name)") }
    }
}
