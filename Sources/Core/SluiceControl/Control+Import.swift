package import SluiceModel
package import SluiceStore

/// A part of an import that is one commit.
package struct ImportSlice: Sendable {
    /// The queues that are made where they are not there.
    package var queues: [QueueRecord] = []
    /// The tasks.
    package var tasks: [IncomingTask] = []
    /// Where they come from, for the journal.
    package var source: String
    /// Whether what came in before and is gone from the store comes in once more.
    package var again = false
    /// The event of the first slice, where there was one: all slices are undone as one (D10).
    package var bulk: Int64?

    /// An empty part of an import.
    package init(source: String) { self.source = source }
}

/// What a part of an import did.
package struct ImportOutcome: Sendable {
    /// What became of its tasks.
    package var result: IncomingResult
    /// The names of the queues that were made.
    package var created: [String]
    /// The journal's number of it; nil where nothing came in.
    package var event: Int64?
}

extension Control {
    /// Brings tasks in from elsewhere, in one commit. Blocks its thread.
    package func importBlocking(_ slice: ImportSlice) throws -> ImportOutcome {
        let (person, now) = (person, now())
        return try store.transactBlocking(at: now) { mutation in
            let store = mutation.store
            var created: [String] = []
            for queue in slice.queues where try store.queue(named: queue.name) == nil {
                try store.put(queue)
                created.append(queue.name)
            }
            let result = try mutation.bringIn(slice.tasks, again: slice.again)
            var outcome = ImportOutcome(result: result, created: created)
            guard !result.added.isEmpty else { return outcome }
            let names = Set(slice.tasks.map(\.task.queue))
            let count = NumberText.tasks(result.added.count)
            outcome.event = try store.append([
                JournalEvent(
                    at: now, kind: "import", queue: names.count == 1 ? names.first : nil,
                    task: result.added.count == 1 ? result.added.first : nil, by: person,
                    text: "\(count) imported from \(slice.source) by \(person)",
                    undo: mutation.undo, bulk: slice.bulk)
            ])
            return outcome
        }
    }
}
