import SluiceModel
import SluiceStore

/// The part of a runner's row about its handlers.
struct ServedRow: Hashable, Sendable {
    /// The types it handles; nil for every type.
    var types: [String]?
    /// The handlers of some queues.
    var brokers: [QueueBroker]
    /// The queues that two of them claim; the runner takes no task from these.
    var contested: [ContestedQueue] = []

    func put(into process: inout ProcessRecord) {
        (process.types, process.brokers, process.contested) = (types, brokers, contested)
    }
}

/// The queues that a runner meets.
extension RunnerLoop {
    /// Lets the brokers' predicates choose among new queues, and writes the served queues to the
    /// runner's row. A queue that two brokers claim is reported once and not served (YTQ-18).
    func meetQueues() throws {
        if runner.choosesQueues {
            let names = try runner.store.readBlocking {
                try $0.queues(.inUse([])).map(\.record.name)
            }
            runner.meet(names)
        }
        let row = runner.servedRow
        guard row != writtenRow else { return }
        let id = attachment.process.id
        try runner.store.writeBlocking { store in
            guard var process = try store.processes().first(where: { $0.id == id }) else { return }
            row.put(into: &process)
            try store.put(process)
        }
        for contest in row.contested where !writtenRow.contested.contains(contest) {
            runner.onEvent(.troubled(contest.error))
        }
        writtenRow = row
    }

    /// The error for a task that the runner was handed without having a handler for it.
    func lacksHandler(for task: QueueTask) -> String {
        runner.servedRow.contested.first { $0.queue == task.queue }?.words
            ?? "this worker has no handler for \(task.type)"
    }
}
