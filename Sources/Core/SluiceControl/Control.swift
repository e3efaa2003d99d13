package import SluiceModel
package import SluiceStore
import SluiceSystem

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

    /// Performs a verb.
    ///
    /// Up to 1,000 tasks change in one commit. More tasks take one commit for each 1,000, and other
    /// processes write in between; one `undo` takes all of them back (D10). The answer names the
    /// tasks that a verb or a bulk left as they were. Throws if the verb changed nothing. A
    /// cancelled Swift task stops a bulk.
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
        let (name, signs) = (self.store.shortName, VitalSigns(of: self.store))
        return { store in
            try store.transact(at: now, membersAtOnce: membersAtOnce) { mutation in
                let context = VerbContext(
                    mutation, person: person, chance: chance, slice: slice, storeName: name,
                    signs: signs, isRehearsal: isRehearsal)
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

/// Edits by a person, which may take minutes (B11). Runners cannot claim the task during the edit.
extension Control {
    /// Begins an edit in an attached process and returns the payload. The edit ends with `endEdit`,
    /// ten minutes after the last `renewEdit`, or with the process. Any other change of the task
    /// ends it too, and a later save throws `changed` (D8). `instant` is the machine's monotonic
    /// clock in milliseconds. Blocks its thread.
    ///
    /// Throws `changed` if the task differs from the displayed version. Throws `notLegal` if
    /// another edit is open or the task is not waiting or failed.
    package func beginEdit(
        _ target: TaskTarget, in editor: Attachment, instant: Int64
    ) throws -> [UInt8] {
        let (person, now, owner) = (person, now(), editor.process.id)
        // One who died, or forgot it, edits no longer.
        try Reaper.endEdits(in: store, now: now, instant: instant)
        return try store.transactBlocking(at: now) { mutation in
            let store = mutation.store
            let task = try store.task(as: target)
            try task.refuseEdit(by: owner, processes: try store.processes(), now: now)
            try mutation.beginEdit(
                task, by: person, owner: owner, instant: instant)
            return try store.payload(of: task.id) ?? []
        }
    }

    /// Lets the edit of a process last another ten minutes; says whether it still holds its task.
    /// Blocks its thread.
    @discardableResult
    package func renewEdit(in editor: Attachment, instant: Int64) throws -> Bool {
        let (now, owner) = (now(), editor.process.id)
        return try store.transactBlocking(at: now) {
            try $0.renewEdit(of: owner, instant: instant)
        }
    }

    /// Ends the edit of a process: committed, or given up. Blocks its thread.
    package func endEdit(in editor: Attachment) throws {
        let (now, owner) = (now(), editor.process.id)
        try store.transactBlocking(at: now) { try $0.endEdit(of: owner) }
    }
}

extension QueueTask {
    /// Throws where a process may not begin to edit the task.
    fileprivate func refuseEdit(
        by owner: ProcessID, processes: [ProcessRecord], now: Timestamp
    ) throws {
        guard waiting != nil || state.name == .failed else {
            throw refusal(of: .beginEdit(by: "", owner: owner))
        }
        for process in processes {
            guard let lease = process.editing else { continue }
            if lease.holds(self) {
                let wait = DurationText.short(lease.until - now)
                throw QueueError.notLegal(
                    "\(lease.by) is editing #\(id), for \(wait) more at most",
                    fix: "retry #\(id) takes it away")
            }
            if process.id == owner {
                throw QueueError.notLegal(
                    "#\(lease.task) is being edited here", fix: "end that edit first")
            }
        }
    }
}

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
