import SluiceModel
import SluiceStore

/// What a runner's row says of what it executes.
struct ServedRow: Hashable, Sendable {
    /// The types it handles; nil for every type.
    var types: [String]?
    /// The handlers of some queues.
    var brokers: [QueueBroker]
    /// The queues that two of them want, from which it takes nothing.
    var contested: [ContestedQueue] = []

    func put(into process: inout ProcessRecord) {
        (process.types, process.brokers, process.contested) = (types, brokers, contested)
    }
}

/// The queues that a runner meets.
extension RunnerLoop {
    /// Lets the predicates of brokers choose among queues that were not met yet, and says in the
    /// runner's row what is served. A queue that two want is told once, and left alone (YTQ-18).
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

    /// What is to be said of a task that this runner was given and has no handler for.
    func lacksHandler(for task: QueueTask) -> String {
        runner.servedRow.contested.first { $0.queue == task.queue }?.words
            ?? "this runner has no handler for \(task.type)"
    }
}
