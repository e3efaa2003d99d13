import SluiceModel
import SluiceStore

/// The queues that a runner meets.
extension RunnerLoop {
    /// Lets the predicates of brokers choose among queues that were not met yet, and says in the
    /// runner's row what they chose. A queue that two want is told once, and left alone (YTQ-18).
    func meetQueues() throws {
        guard runner.choosesQueues else { return }
        let names = try runner.store.readBlocking {
            try $0.queues(.inUse([])).map(\.record.name)
        }
        runner.meet(names)
        let (rows, contested) = (runner.brokerRows, runner.contestedQueues)
        guard rows != writtenBrokers || contested != writtenContests else { return }
        let id = attachment.process.id
        try runner.store.writeBlocking { store in
            guard var process = try store.processes().first(where: { $0.id == id }) else { return }
            (process.brokers, process.contested) = (rows, contested)
            try store.put(process)
        }
        for contest in contested.dropFirst(writtenContests.count) {
            runner.onEvent(.troubled(contest.error))
        }
        (writtenBrokers, writtenContests) = (rows, contested)
    }

    /// What is to be said of a task that this runner was given and has no handler for.
    func lacksHandler(for task: QueueTask) -> String {
        runner.contestedQueues.first { $0.queue == task.queue }?.words
            ?? "this runner has no handler for \(task.type)"
    }
}
