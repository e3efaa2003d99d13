package import SluiceModel
package import SluiceStore

/// A part of an import that is one commit.
package struct ImportSlice: Sendable {
    /// The queues to create if missing.
    package var queues: [QueueRecord] = []
    package var tasks: [IncomingTask] = []
    /// The origin of the tasks, for the journal.
    package var source: String
    /// Whether to import again tasks that an earlier import brought and the store no longer has.
    package var again = false
    /// The event of the first slice, where there was one: all slices are undone as one (D10).
    package var bulk: Int64?

    /// An empty part of an import.
    package init(source: String) { self.source = source }
}

/// The result of an import's slice.
package struct ImportOutcome: Sendable {
    package var result: IncomingResult
    /// The names of the created queues.
    package var created: [String]
    /// The journal's number of it; nil if nothing came in.
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
