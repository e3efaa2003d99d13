import QueueModel
import QueueStore

extension Execution {
    /// What a handler gets of a task that a process of this runner claimed.
    init(_ claimed: Claimed, _ lease: Running, process: ProcessID, store: any QueueStore) {
        let childLock = store.runFolder.map {
            "\($0)/"
                + Undertaker.childLockName(
                    process: process, task: claimed.task.id, attempt: lease.attempt)
        }
        self.init(
            task: claimed.task, payload: claimed.payload, number: lease.attempt,
            idempotencyKey: "\(claimed.storeIdentity)-\(claimed.task.id)",
            storeName: store.name, childLockPath: childLock)
        maximumDepth = claimed.maximumDepth
        ownNumber = claimed.ownNumber
    }
}

extension AttemptRecord {
    /// Whether a lock file for a child may be left: what succeeded by itself made none.
    var mayHaveHadChild: Bool { childPID != nil || outcome != .success }
}
