package import SluiceModel
import SluicePlatform
package import SluiceStore

/// Runs verbs on a store for one person. Each verb writes to the journal and returns its result and
/// its undo.
public struct Control: Sendable {
    package let store: any QueueStore
    /// Who acts, for the journal.
    public let person: String
    /// The store's clock.
    package let now: @Sendable () -> Timestamp
    /// Draws jitter, in 0..<1.
    package let chance: @Sendable () -> Double
    /// How many members follow their starts in one commit (T2).
    var membersAtOnce = Mutation.membersAtOnce
    /// Whether the dead are found before a verb; tests have processes that are only rows.
    var clearsUp = true

    package init(
        store: any QueueStore, person: String, now: @escaping @Sendable () -> Timestamp,
        chance: @escaping @Sendable () -> Double
    ) {
        self.store = store
        self.person = person
        self.now = now
        self.chance = chance
    }

    /// How many tasks a verb changes in one commit at most (D10).
    package static let slice = 1000

    /// Does a verb. On up to 1,000 tasks it is whole or not at all; on more it is a commit for each
    /// 1,000, between which others write, and one `undo` takes all of them back (D10). Throws when
    /// nothing could be done; what could not be done to some of several tasks, and what a bulk
    /// left, is named in the answer. A cancelled task stops a bulk.
    @discardableResult
    public func perform(_ verb: Verb) async throws -> Answer {
        try await perform(verb) { _ in .goOn }
    }

    /// The same with progress reports between the commits, where `watch` may stop it.
    @discardableResult
    package func perform(_ verb: Verb, watching watch: @escaping BulkWatch) async throws -> Answer {
        try await offPool { try clearUp(before: verb) }
        if verb.order.needsWakes { try await store.workOffWakes(now: now()) }
        var bulk = Bulk(verb, by: person, began: now()) { progress in
            Task.isCancelled ? .stop : watch(progress)
        }
        while let slice = bulk.next() {
            let work = work(slice)
            do {
                bulk.take(
                    .success(try await store.write { try work($0) }))
            } catch {
                bulk.take(.failure(error))
            }
        }
        var answer = try bulk.end()
        let commits = bulk.commits
        if answer.undo != nil, commits.areSeveral {
            answer.add(try await store.read { try commits.loss(in: $0) })
        }
        guard bulk.leavesWakes else { return answer }
        do {
            try await store.workOffWakes(now: now())
        } catch {
            answer.leaveWakes(error)
        }
        return answer
    }

    /// `perform` for a caller that may block its thread.
    @discardableResult
    package func performBlocking(
        _ verb: Verb, watching watch: @escaping BulkWatch = { _ in .goOn }
    ) throws -> Answer {
        try clearUp(before: verb)
        if verb.order.needsWakes { try store.workOffWakesBlocking(now: now()) }
        let bulk = commitBlocking(verb, watch)
        var answer = try bulk.end()
        let commits = bulk.commits
        if answer.undo != nil, commits.areSeveral {
            answer.add(try store.readBlocking { try commits.loss(in: $0) })
        }
        guard bulk.leavesWakes else { return answer }
        do {
            try store.workOffWakesBlocking(now: now())
        } catch {
            answer.leaveWakes(error)
        }
        return answer
    }

    /// Releases the tasks of dead processes before a verb judges them (A2). A verb that only adds
    /// tasks needs no cleanup.
    private func clearUp(before verb: Verb) throws {
        guard clearsUp, verb.order.growingQueue == nil else { return }
        try Reaper.reapTheDead(in: store, now: now(), chance: chance())
    }

    /// Commits a verb without processing its deferred wakes.
    func commitBlocking(
        _ verb: Verb, watching watch: @escaping BulkWatch = { _ in .goOn }
    ) throws -> Answer {
        try commitBlocking(verb, watch).end()
    }

    private func commitBlocking(_ verb: Verb, _ watch: @escaping BulkWatch) -> Bulk {
        drive(verb, watch) { work in
            try store.writeBlocking { try work($0) }
        }
    }

    /// Runs a verb and rolls back each commit (`--dry-run`). Each slice of a bulk runs without the
    /// effects of earlier slices.
    package func rehearse(
        _ verb: Verb, watching watch: @escaping BulkWatch = { _ in .goOn }
    ) throws -> Answer {
        let bulk = drive(verb, watch, isRehearsal: true) { work in
            do {
                return try store.writeBlocking { store -> BulkSlice.Outcome in
                    throw Rehearsal(outcome: try work(store))
                }
            } catch let rehearsal as Rehearsal {
                return rehearsal.outcome
            }
        }
        return try bulk.end()
    }

    private typealias Work = @Sendable (any StoreWriter) throws -> BulkSlice.Outcome

    private func drive(
        _ verb: Verb, _ watch: @escaping BulkWatch, isRehearsal: Bool = false,
        commit: (@escaping Work) throws -> BulkSlice.Outcome
    ) -> Bulk {
        var bulk = Bulk(verb, by: person, began: now(), watch: watch)
        while let slice = bulk.next() {
            bulk.take(Result { try commit(work(slice, isRehearsal: isRehearsal)) })
        }
        return bulk
    }

    private func work(_ slice: BulkSlice, isRehearsal: Bool = false) -> Work {
        let (person, now, chance, membersAtOnce) = (person, now(), chance(), membersAtOnce)
        let name = self.store.shortName
        return { store in
            try store.transact(at: now, membersAtOnce: membersAtOnce) { mutation in
                let context = VerbContext(
                    mutation, person: person, chance: chance, slice: slice, storeName: name,
                    isRehearsal: isRehearsal)
                return try context.perform()
            }
        }
    }
}

extension Answer {
    fileprivate mutating func add(_ sentence: String?) {
        if let sentence { consequences.append(sentence) }
    }

    /// The verb succeeded; the next runner updates the members of the start (T2).
    fileprivate mutating func leaveWakes(_ error: any Error) {
        let why = (error as? QueueError)?.message ?? String(describing: error)
        consequences.append("members still follow their start, at a worker's next look: \(why)")
    }
}

/// Carries what a rehearsal made out of the write that it undoes.
private struct Rehearsal: Error {
    var outcome: BulkSlice.Outcome
}
