import SluiceModel
import SluiceStore

/// Takes the newest step back (G5): its task waits again as it did, and its follow-ups go to the
/// trash. Changes by others since then stay, and the answer names them.
package struct StepBackVerb: StoreVerb {
    /// The queue of the step; nil for any.
    package let queue: String?

    /// The sentence about the end of a run. Images of all the tasks that it frees would be too
    /// large.
    static let runStays =
        "the run that ended with it stays ended: tasks that it held back, skipped or "
        + "attempted are free"

    package var verbName: String { "step --back" }
    package var answers: AnswerPart { .stepBack }

    package func command(in text: CommandText) -> String {
        queue.map { ShellWord.command("step --back", $0) } ?? "step --back"
    }

    package func perform(in context: VerbContext) throws {
        try SteppingBack(context: context).perform(queue)
    }
}

extension Verb {
    /// Takes the newest step of a queue back, or of any.
    public static func stepBack(queue: String?) -> Verb { Verb(StepBackVerb(queue: queue)) }
}

extension Action.ID {
    package static let stepBack = Self("stepBack")
}

extension Action {
    static let stepBack = Action(
        .stepBack, key: "B", .queue, "step back", "take the newest step back")
}

/// A step that is taken back.
private struct SteppingBack {
    let context: VerbContext

    func perform(_ queue: String?) throws {
        if let queue { _ = try context.mutation.queue(queue) }
        let steps = try StepsBack(context.store)
        var step = try newestStep(of: queue, steps)
        let (id, name) = (step.task.id, step.task.queue)
        let end = try refuseStepBack(of: step, steps)
        var record = UndoRecord()
        record.tasks = end.images
        try TakingBack(context: context).restore(
            record, LaterImages(context.store, since: end.sequence, steps.later(than: step)))
        if let result = try context.store.task(id) == nil ? nil : context.store.result(of: id) {
            context.images.results.append(.init(number: id, before: result))
            try context.store.setResult(nil, of: id)
        }
        try context.mutation.revert(step)
        context.answer.changed.insert(id, at: 0)
        context.answer.consequences += try whatStays(of: step, end)
        context.answer.restored = RestoreReport(
            name: "step of #\(id)", changed: context.answer.changed.count,
            effects: try context.store.attempts(of: id).filter { $0.number == step.attempt })
        record = context.mutation.undo
        record.results = context.images.results
        step.takenBack = try context.journal(
            "stepBack", queue: name, task: id,
            "step of #\(id) \(step.task.type) undone by \(context.person)", undo: record)
        try context.store.put(step)
    }

    private func newestStep(of queue: String?, _ steps: StepsBack) throws -> StepImage {
        if let step = steps.standing.last(where: { queue == nil || $0.task.queue == queue }) {
            return step
        }
        let place = queue.map { " of \($0)" } ?? ""
        throw QueueError.notLegal(
            "no step\(place) can be undone",
            fix: "a store keeps its newest \(StepImage.kept) steps")
    }

    /// Throws if it cannot be taken back, with the reason; else gives what its end did.
    private func refuseStepBack(
        of step: StepImage, _ steps: StepsBack
    ) throws -> StepImage.End {
        let (id, name) = (step.task.id, step.task.queue)
        guard let queue = try context.store.queue(named: name) else {
            throw QueueError(
                .changed, "the queue \(name) of the newest step was deleted since",
                fix: "name another queue: sluice step --back QUEUE")
        }
        try queue.refuseElsewhere()
        guard try context.store.counts(queue: name)[.running] == 0 else {
            throw QueueError.notLegal(
                "\(name) runs something",
                fix: "wait for its end: sluice \(ShellWord.command("list", name))")
        }
        guard let end = step.end else {
            throw QueueError(
                .changed, "the program that executed #\(id) kept nothing of it",
                fix: "it is of an older version: bring it up to date")
        }
        try refuseWhatBecame(of: step, end, steps)
        return end
    }

    private func refuseWhatBecame(
        of step: StepImage, _ end: StepImage.End, _ steps: StepsBack
    ) throws {
        let id = step.task.id
        guard let task = try context.store.task(id) else {
            guard end.payload != nil, end.left?.waiting == nil else {
                throw QueueError(
                    .changed, "#\(id) was forgotten since", fix: "nothing brings it back")
            }
            return try context.refuseTakenKey(step.task)
        }
        if case .deleted = task.state, try !StepsBack.isLeftByUndo(task, of: step, context.store) {
            throw QueueError(
                .changed, "#\(id) was deleted since",
                command: .init("undelete", id, "brings it back"))
        }
        guard task.queue == step.task.queue else {
            throw QueueError(
                .changed, "#\(id) is in \(task.queue) by now", fix: "move it back first")
        }
        guard task.executions == step.attempt + steps.later(than: step).count(of: id) else {
            throw QueueError(
                .changed, "#\(id) was executed again since", command: .init("show", id, "says how"))
        }
        if task.waiting == nil { try context.refuseTakenKey(task) }
    }

    /// The sentences about changes that undoing the step does not revert.
    private func whatStays(of step: StepImage, _ end: StepImage.End) throws -> [String] {
        let id = step.task.id
        var said: [String] = []
        let others = try context.store.requireTask(id).differences(from: step.task).map(\.name)
        if !others.isEmpty {
            said.append("what others changed of #\(id) since stays: \(WordList.and(others))")
        }
        if end.endsRun { said.append(StepBackVerb.runStays) }
        let known = Set(end.images.map(\.id))
        let rest = try context.store.tasks(try context.store.followUps(of: id)).filter {
            $0.id > step.lastTask && !known.contains($0.id) && $0.state.name != .deleted
        }
        if !rest.isEmpty {
            let names = rest.prefix(10).map { "#\($0.id)" } + (rest.count > 10 ? ["more"] : [])
            said.append("its tasks from other commits stay: \(WordList.and(names))")
        }
        return said + (try membersLeft(by: step, end))
    }

    /// A sentence about members that followed the failed start in later commits. Counts at most one
    /// page.
    private func membersLeft(by step: StepImage, _ end: StepImage.End) throws -> [String] {
        guard let group = step.task.groupStart, case .failed(let own) = end.left?.state
        else { return [] }
        var query = TaskQuery(queue: step.task.queue, state: .failed, limit: 1000)
        query.group = group
        let reason = GroupWake.reason(of: step.task.id)
        let left = try context.store.tasks(matching: query).count { task in
            guard case .failed(let failure) = task.state else { return false }
            return failure.reason == reason && failure.at >= own.at
        }
        guard left > 0 else { return [] }
        let count = left < query.limit ? "\(left)" : "\(left) or more"
        return [
            "\(count) of \(group) that were given up with #\(step.task.id) in later commits stay so"
        ]
    }
}

/// The recorded steps of a store: steps in effect, and steps that a person took back.
struct StepsBack {
    /// The steps in effect, newest last. Includes a step again after the undo of its reversal.
    private(set) var standing: [StepImage] = []
    private var takenBack: [StepImage] = []

    init(_ store: any StoreReader) throws {
        for step in try store.steps() {
            if try Self.isTakenBack(step, store) {
                takenBack.append(step)
            } else {
                standing.append(step)
            }
        }
    }

    private static func isTakenBack(
        _ step: StepImage, _ store: any StoreReader
    ) throws -> Bool {
        try !events(about: step, store).count.isMultiple(of: 2)
    }

    /// The lines of the journal that took it back, undid that, did it again, and so on.
    private static func events(
        about step: StepImage, _ store: any StoreReader
    ) throws -> [Int64] {
        var events: [Int64] = []
        var number = step.takenBack
        while let event = number {
            events.append(event)
            number = try store.event(event)?.undoneBy
        }
        return events
    }

    /// Whether the step's task is in the trash only because someone undid the step's reversal after
    /// the store had removed the task.
    static func isLeftByUndo(
        _ task: QueueTask, of step: StepImage, _ store: any StoreReader
    ) throws -> Bool {
        guard let last = try events(about: step, store).last else { return false }
        let left = try store.event(last)?.undo?.tasks.first { $0.id == task.id }
        return left?.versionAfter == task.version
    }

    /// The reversed steps after a step.
    func later(than step: StepImage) -> [StepImage] {
        takenBack.filter { $0.token > step.token }
    }
}

extension [StepImage] {
    fileprivate func count(of id: TaskID) -> Int { filter { $0.task.id == id }.count }
}
