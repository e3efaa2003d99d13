import SluiceModel
import SluiceStore

/// One verb in progress: its mutation, its person, and its growing answer.
package final class VerbContext {
    let mutation: Mutation
    let person: String
    let chance: Double
    let slice: BulkSlice
    /// The store's name, which a protected store requires (G8).
    let storeName: String?
    /// Whether nothing commits.
    let isRehearsal: Bool
    /// The index of the present task in the slice.
    private var place = 0
    /// The task made from the present one, which replaces it in the answer.
    var made: TaskID?
    /// The tasks that the verb found as it would leave them, and why they are so.
    private var found: [TaskID: String] = [:]
    /// How many tasks the verb has told to stop: it comes to them when they have.
    var stopping = 0
    var answer = Answer()
    var event: Int64?
    /// The tasks that came in by the batch, as far as a script would tell them.
    var enqueued: [EnqueueRequest]?
    var undoRest: [Int64] = []
    /// The event that an undo or redo reverted.
    var takenBack: JournalEvent?
    /// The pauses of the store before an undo put others in their place.
    var storePausesBefore: [Pause]?
    /// The breakpoints that an undo set or removed, as they were before.
    var breakpointImages: [UndoRecord.Former<Breakpoint>] = []
    /// The same of faults.
    var faultImages: [UndoRecord.Former<Fault>] = []
    /// The clock before and after an undo.
    var clockImage: UndoRecord.ClockImage?
    /// The queues, results and network that an undo of a restore changed, as they were before.
    var restoreImages = UndoRecord()
    /// The schedules that an undo changed.
    var scheduleImages: [UndoRecord.Change<Schedule>] = []
    /// The checkpoints that an undo ended or brought back, as they were before.
    var checkpointImages: [UndoRecord.CheckpointImage] = []
    /// The filters of the store that the verb, or an undo, changed.
    var filterImages: [UndoRecord.Change<String>] = []
    var store: any StoreWriter { mutation.store }
    /// The store's time, for waiting tasks.
    var now: Timestamp { mutation.now }
    /// In real time, for what happens.
    var real: Timestamp { mutation.real }

    init(
        _ mutation: Mutation, person: String, chance: Double, slice: BulkSlice,
        storeName: String? = nil, isRehearsal: Bool = false
    ) {
        self.mutation = mutation
        self.person = person
        self.chance = chance
        self.slice = slice
        self.storeName = storeName
        self.isRehearsal = isRehearsal
    }

    func perform() throws -> BulkSlice.Outcome {
        try checkStoreName()
        try mutation.forgetEnded()
        switch slice.verb {
        case .pause(let request): try pause(request)
        case .resume(let scope): try resume(scope)
        case .run(let queue, let limit): try run(queue, limit: limit)
        case .network(let forced, nil): try forceNetwork(forced)
        case .network(let forced, let queue?): try forceNetwork(forced, of: queue)
        case .enqueue(let queue, let requests): try enqueue(queue, requests)
        case .setQueue(let name, let changes): try setQueue(name, changes)
        case .deleteQueue(let name, let evenWithTasks, _): try deleteQueue(name, evenWithTasks)
        case .undo(let event, let own): try undo(event, newestOf: own)
        case .redo: try redo()
        case .setBreakpoint(let request): try setBreakpoint(request)
        case .removeBreakpoints(let selection): try removeBreakpoints(selection)
        case .goOn(let queue): try goOn(queue)
        case .setFault(let request): try setFault(request)
        case .removeFaults(let selection): try removeFaults(selection)
        case .protect: try protect()
        case .unprotect: try unprotect()
        case .setClock(let request): try setClock(request)
        case .takeCheckpoint(let request): try takeCheckpoint(request)
        case .removeCheckpoints(let names): try removeCheckpoints(names)
        case .restore(let name): try restore(name)
        case .stepBack(let queue): try stepBack(queue)
        case .setSchedule(let request): try setSchedule(request)
        case .schedule(let action, let name): try change(action, schedule: name)
        case .saveFilter(let text, let name): try saveFilter(text, as: name)
        case .removeFilter(let name): try removeFilter(name)
        case .tasks(let verb): try perform(verb)
        }
        return outcome
    }

    /// The result so far.
    var outcome: BulkSlice.Outcome {
        BulkSlice.Outcome(
            answer: answer, event: event, undoRest: undoRest, leavesWakes: mutation.leavesWakes)
    }

    /// Writes the verb's line into the journal, with what `undo` needs, and how it is done again,
    /// if it differs from the request; returns its number.
    @discardableResult
    func journal(
        _ kind: String, queue: String?, task: TaskID? = nil, _ text: String, undo: UndoRecord?,
        script: String? = nil
    ) throws -> Int64 {
        let record = undo.flatMap { $0.isEmpty ? nil : $0 }
        let sequence = try store.append([
            JournalEvent(
                at: real, kind: kind, queue: queue, task: task, by: person, text: text,
                undo: record, bulk: slice.bulk, script: try script ?? self.script())
        ])
        event = sequence
        if record != nil {
            let place = GroupWake.VerbPlace(event: slice.bulk ?? sequence, person: person)
            try mutation.nameWakes(place)
        }
        answer.undo = record == nil ? nil : sequence
        answer.summary = text
        return sequence
    }
}

/// The verbs that act on tasks, one or several (D5 to D8, D10).
extension VerbContext {
    private func perform(_ verb: VerbOnTasks) throws {
        try verb.verb.check(in: self)
        var queues: Set<String> = []
        for target in verb.targets {
            defer { place += 1 }
            do {
                let task = try store.task(as: target)
                made = nil
                try verb.verb.perform(on: task, in: self)
                answer.changed.append(made ?? task.id)
                queues.insert(task.queue)
            } catch let error as QueueError {
                // With one task, throw its error; with several, continue and list the failures.
                guard slice.total > 1, error.isRefusal else { throw error }
                let version = try store.task(target.id)?.version
                answer.failed.append(
                    Answer.Failure(id: target.id, error: error, version: version))
            }
        }
        let acted = tellFound(verb.kind.participle)
        guard !acted.isEmpty else { return }
        var text = slice.verb.sentence(acted, by: person)
        if stopping > 0 {
            let some = acted.count == 1 ? "" : " \(stopping) of them"
            text += ",\(some) once \(stopping == 1 ? "it has" : "they have") stopped"
        }
        if !slice.isWhole {
            let end = NumberText.grouped(slice.places.upperBound)
            text += " (\(end) of \(NumberText.grouped(slice.total)))"
        }
        try journal(
            verb.kind.name, queue: queues.count == 1 ? queues.first : nil,
            task: acted.count == 1 ? acted.first : nil, text,
            undo: verb.kind.canBeUndone ? mutation.undo : nil)
    }

    /// Notes that the task at hand is already as the verb would leave it, and why.
    func find(_ task: QueueTask, _ why: String) {
        found[task.id] = "#\(task.id) \(why)"
    }

    /// Reports tasks that needed no change; returns the changed ones.
    private func tellFound(_ participle: String) -> [TaskID] {
        guard !found.isEmpty else { return answer.changed }
        let all = answer.changed
        answer.consequences += all.compactMap { found[$0] }
        let acted = all.filter { found[$0] == nil }
        if acted.isEmpty { answer.summary = "nothing is left to be \(participle)" }
        return acted
    }

    /// How many waiting members a start would hold back, in words such as `3 members of g`; nil
    /// where it holds none.
    func heldBack(by task: QueueTask, _ word: String) throws -> String? {
        let held = try Reading(store, now: real).heldBack(by: task)
        guard held > 0, let group = task.groupStart else { return nil }
        // The count stops at a limit.
        let count = held < Reading.heldBackLimit ? "\(held)" : "\(held) or more"
        return "\(count) \(held == 1 ? word : word + "s") of \(group)"
    }

    /// The moment of the task at hand, where the verb is spread over a time from `start` on.
    func moment(from start: Timestamp, over milliseconds: Int64) -> Timestamp {
        slice.moment(from: start, over: milliseconds, at: place)
    }

    /// A key that another waiting task has is not taken from it (T5).
    func refuseTakenKey(_ task: QueueTask, in queue: String? = nil) throws {
        guard let key = task.uniqueKey else { return }
        let holders = try store.uniqueHolders(
            queue: queue ?? task.queue, type: task.type, key: key, includingRunning: false)
        guard let other = holders.first(where: { $0 != task.id }) else { return }
        throw QueueError(
            .uniqueTaken, "#\(other) waits with the unique key \"\(key)\" of #\(task.id)",
            fix: "delete #\(other) first")
    }
}

extension VerbContext {
    /// The lines of a shell that do this commit again (G7).
    private func script() throws -> String {
        let script = VerbScript(at: now)
        if let enqueued, case .enqueue(let queue, _) = slice.verb {
            return script.lines(of: enqueued, to: queue)
        }
        if let takenBack, VerbScript.isComment(takenBack.script) {
            return VerbScript.comment(onUndoOf: takenBack.sequence)
        }
        var slice = slice
        // Each slice of a bulk is a separate verb in the script.
        if let takenBack, case .undo(.some, _) = slice.verb {
            slice.verb = .undo(event: takenBack.sequence)
        }
        return script.lines(of: slice)
    }
}

extension StoreReader {
    /// The task; throws `changed` if its version is not the shown one.
    func task(as target: TaskTarget) throws -> QueueTask {
        let task = try requireTask(target.id)
        if let version = target.version, version != task.version {
            throw QueueError.changed(
                target.id, "it is now \(task.state.name.rawValue), version \(task.version)")
        }
        return task
    }
}
