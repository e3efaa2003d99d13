import SluiceModel
import SluiceStore

/// Writes of a runner other than claims and settles.
extension RunnerLoop {
    /// Writes that abandoned executions came to their end; like a result it is kept until a commit
    /// holds it.
    func release(_ ended: [(task: TaskID, attempt: Int)]) {
        guard loss == nil, !ended.isEmpty else { return }
        let now = runner.now()
        do {
            try runner.store.transactBlocking(at: now) { mutation in
                for one in ended { try mutation.release(one.task, attempt: one.attempt) }
            }
        } catch {
            trouble(error)
            unreleased += ended
            agenda.retryLater(at: instant)
        }
    }

    func write(_ progress: [ExecutionKey: AttemptProgress]) {
        guard !progress.isEmpty else { return }
        attempt {
            try runner.store.writeBlocking { store in
                for (key, told) in progress {
                    guard let task = try store.task(key.task), let lease = task.running,
                        lease.token == key.token
                    else { continue }
                    var record = AttemptRecord(task: task, lease)
                    record.fraction = told.fraction
                    record.progressText = told.text
                    record.log = told.log
                    record.childPID = told.childPID
                    record.childStartTime = told.childStartTime
                    try store.put([record])
                }
            }
        }
    }

    /// Writes what the network is; the newest is kept until a commit holds it.
    func write(_ network: NetworkState) {
        (unwrittenNetwork, self.network) = (network, network)
        let (id, now) = (attachment.process.id, runner.now())
        attempt {
            try runner.store.transactBlocking(at: now) { try $0.setNetwork(network, of: id) }
            unwrittenNetwork = nil
            look()
        } orElse: {
            agenda.retryLater(at: instant)
        }
    }
}
