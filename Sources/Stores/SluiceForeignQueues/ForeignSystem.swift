package import SluiceModel
import SluiceSystem

/// A queue system of other programs, in its own store.
///
/// Every call acts on ids or exact bytes at the time of the call. A hold is kept in that store. One
/// thread at a time uses a system.
package protocol ForeignSystem: AnyObject {
    /// Its name, as `--as` takes it.
    var name: String { get }
    /// The name that people use.
    var title: String { get }
    func queues() throws -> [ForeignQueue]
    /// The same where first rows wait for it: more of its counts may be estimates.
    func queuesSoon() throws -> [ForeignQueue]
    /// A value that changes with every change in the store; `nil` if the store has none.
    func stamp() throws -> String?
    /// A queue with what stops it; its counts may be left out. Nil if it is not there.
    func stops(of queue: String) throws -> ForeignQueue?
    /// Whether `queues()` lists empty queues.
    var listsEmptyQueues: Bool { get }
    /// Whether it is held, by the cheapest question.
    func isHeld(_ queue: String) throws -> Bool
    func page(_ query: ForeignQuery) throws -> ForeignPage
    /// Everything about a task; nil if it is not there.
    func detail(_ reference: String) throws -> ForeignDetail?
    /// The same of the tasks of a page that was just read, in their order, as they were then: with
    /// few questions, however many they are.
    func details(of tasks: [ForeignTask]) throws -> [ForeignDetail?]
    /// The reason the system does not start a waiting task, other than times, holds and workers;
    /// `nil` if unknown.
    func obstacle(of detail: ForeignDetail) throws -> String?
    /// The worker with a running task; `nil` if the system does not record it.
    func holder(of detail: ForeignDetail) throws -> ForeignHolder?
    /// The tasks that wait for a time, the next one first.
    func timers(limit: Int) throws -> [ForeignTimer]
    /// Tasks that wait for a time at a place in their queue, and are not among `timers`. It reads
    /// every queue.
    func listedTimers(limit: Int) throws -> [ForeignTimer]
    /// Its workers, as far as it knows them.
    func runners() throws -> [ForeignRunner]
    /// Whether a worker that serves a queue is among those.
    var listsRunners: Bool { get }
    /// A note if the version of its tables is newer than the known ones; `nil` if it is known or
    /// not recorded.
    func newerEdition() throws -> String?
    /// The verbs that its queues support.
    var rules: SystemRules { get }
    /// Holds a queue: its workers take no task from then on, including new ones.
    func hold(_ queue: String, _ note: HoldNote) throws -> ForeignAnswer
    /// Ends a hold, even if another person began it.
    func release(_ queue: String) throws -> ForeignAnswer
    /// Lets exactly one task of a held queue through to its own worker, the next one unless another
    /// is named; nil where nothing waits. Throws if no worker takes it in time, and it waits
    /// again in its place.
    func step(_ queue: String, task: String?, limits: StepLimits) throws -> ForeignStep?
    /// Changes one task, and first saves its former state for undo.
    func change(_ reference: String, _ change: ForeignChange, by author: ForeignAuthor) throws
        -> ForeignAnswer
    /// Stops a task that a worker runs. Nothing takes that back.
    func cancel(_ reference: String) throws -> ForeignAnswer
    /// Gives the running task of a dead worker back, as the system's own tool does. Nothing undoes
    /// that.
    func reclaim(_ reference: String) throws -> ForeignAnswer
    /// Undoes a person's last change; `nil` if the person changed nothing, or if the last change
    /// is of another verb than `author` has. One that can no longer be undone moves to the end, so
    /// that the next call tries another one.
    func undoLast(by author: ForeignAuthor) throws -> ForeignUndone?
    /// The record of a person's last change; `nil` if the person changed nothing.
    func lastRecord(by person: String) throws -> ForeignRecord?
}

/// The time limits of a step, and its clock.
package struct StepLimits: Sendable {
    /// For a worker that takes the task.
    package var takeMilliseconds: Int64
    package var endMilliseconds: Int64

    /// The times of a command.
    package init(takeMilliseconds: Int64 = 10_000, endMilliseconds: Int64 = 60_000) {
        self.takeMilliseconds = takeMilliseconds
        self.endMilliseconds = endMilliseconds
    }

    /// The same, with so much at most for the end of an execution that may leave nothing.
    func ending(within milliseconds: Int64) -> StepLimits {
        StepLimits(
            takeMilliseconds: takeMilliseconds,
            endMilliseconds: min(endMilliseconds, milliseconds))
    }
}

extension ForeignSystem {
    /// By default the complete count, for systems that count quickly.
    package func queuesSoon() throws -> [ForeignQueue] { try queues() }

    /// By default without a sign of change.
    package func stamp() throws -> String? { nil }

    /// Asks for each task by its id.
    package func details(of tasks: [ForeignTask]) throws -> [ForeignDetail?] {
        try tasks.map { try detail($0.reference) }
    }

    /// By default the complete count, for systems that count quickly.
    package func stops(of queue: String) throws -> ForeignQueue? {
        try queues().first { $0.name.isSame(as: queue) }
    }

    /// A page that separates held tasks from those that an ended hold has left.
    package func shownPage(_ query: ForeignQuery) throws -> ForeignPage {
        var page = try page(query)
        guard page.tasks.contains(where: { $0.display == .held }), try !isHeld(query.queue) else {
            return page
        }
        let queue = try stops(of: query.queue)
        page.tasks = page.tasks.map { $0.shown(in: queue) }
        return page
    }

    package func shownDetail(_ reference: String) throws -> ForeignDetail? {
        guard var detail = try detail(reference) else { return nil }
        let queue = detail.task.queue
        guard detail.task.display == .held, try !isHeld(queue) else { return detail }
        detail.task = detail.task.shown(in: try stops(of: queue))
        return detail
    }

    /// By default the stops of the queue say it.
    package func isHeld(_ queue: String) throws -> Bool { try stops(of: queue)?.hold != nil }

    /// By default no task waits for anything else.
    package func obstacle(of detail: ForeignDetail) throws -> String? { nil }

    /// Most keep such tasks apart.
    package func listedTimers(limit: Int) throws -> [ForeignTimer] { [] }

    /// Most do not say.
    package func holder(of detail: ForeignDetail) throws -> ForeignHolder? { nil }

    /// By default the tables name no version.
    package func newerEdition() throws -> String? { nil }

    /// By default workers are listed.
    package var listsRunners: Bool { true }

    /// By default a system lists empty queues too.
    package var listsEmptyQueues: Bool { true }

    /// Undoes all changes of a person's last verb, the last one first; `nil` if the person changed
    /// nothing. Throws if none of them can be undone.
    package func undo(by person: String) throws -> ForeignAnswer? {
        var author = ForeignAuthor(person)
        var answer = ForeignAnswer()
        func next() throws -> ForeignUndone? {
            do {
                return try undoLast(by: author)
            } catch let error as QueueError {
                if answer.changed.isEmpty { throw error }
                answer.ended = error
                return nil
            }
        }
        while let undone = try next() {
            // Undone tasks at the end appear again.
            if answer.late.contains(where: { $0.task.isSame(as: undone.task) }) { break }
            if undone.late == nil {
                answer.changed.append(undone.task)
                for text in undone.consequences where !answer.consequences.contains(text) {
                    answer.consequences.append(text)
                }
            } else {
                answer.late.append(undone)
            }
            guard let deed = undone.deed else { break }
            author.deed = deed
        }
        if answer.changed.isEmpty, let late = answer.late.first?.late { throw late }
        return answer.changed.isEmpty ? nil : answer
    }

    /// Throws `notLegal` with the reason where the system can never do what a verb asks for.
    package func check(_ verb: ForeignVerb) throws(QueueError) {
        guard let reason = refusal(of: verb) else { return }
        throw .notLegal("\(name) cannot \(verb.infinitive): \(reason)")
    }

    /// Throws `notLegal` if the worker with a task gave a sign of life within a time.
    func checkSilence(
        of holder: ForeignHolder?, with reference: String, for milliseconds: Int64
    ) throws(QueueError) {
        let now = Timestamp(milliseconds: SystemClock.nowMilliseconds())
        guard let heard = holder?.heardAt, now - heard < milliseconds else { return }
        throw .notLegal(
            "task \(reference) runs: its worker \(holder?.worker ?? "?") gave a sign of life "
                + "\(max(0, now - heard) / 1000) s ago",
            fix: "reclaim it after \(DurationText.compact(milliseconds)) of silence")
    }

    /// The task; throws `unknownTask`.
    package func require(_ reference: String) throws -> ForeignDetail {
        if let detail = try detail(reference) { return detail }
        throw QueueError(
            .unknownTask, "there is no task \"\(reference)\" in \(name)",
            fix: "it may have run: sluice list shows the tasks")
    }
}
