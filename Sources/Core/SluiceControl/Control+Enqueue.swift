import SluiceModel
package import SluiceStore

/// Returns an iterator over batches of requests, which ends with `nil`. Each call starts with the
/// first batch.
package typealias RequestBatches = @Sendable () throws -> () throws -> [EnqueueRequest]?

extension Control {
    /// The verb `enqueue` with tasks that come by the batch: all in one commit (T3), and one batch
    /// of them in memory. Blocks its thread.
    package func enqueueBlocking(
        to queue: String, _ batches: @escaping RequestBatches
    ) throws -> Answer {
        let (person, now, chance) = (person, now(), chance())
        let verb = EnqueueVerb(queue: queue, requests: [])
        let slice = BulkSlice(whole: Verb(verb), began: now)
        let outcome = try store.transactBlocking(at: now) { mutation in
            let context = VerbContext(mutation, person: person, chance: chance, slice: slice)
            try verb.perform(in: context, try batches())
            return context.outcome
        }
        if outcome.leavesWakes { try store.workOffWakesBlocking(now: self.now()) }
        return outcome.answer
    }
}
