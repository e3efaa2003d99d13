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
    /// The signs of life of attached processes (A2).
    let signs: VitalSigns
    /// Whether nothing commits.
    let isRehearsal: Bool
    /// The index of the present task in the slice.
    var place = 0
    /// The task made from the present one, which replaces it in the answer.
    var made: TaskID?
    /// The tasks that the verb found as it would leave them, and why they are so.
    private var found: [TaskID: String] = [:]
    /// How many tasks the verb has told to stop: it comes to them when they have.
    var stopping = 0
    var answer = Answer()
    var event: Int64?
    var undoRest: [Int64] = []
    /// The values that an undo replaced other than tasks, for its own undo.
    var images = UndoRecord()
    var store: any StoreWriter { mutation.store }
    /// The store's time, for waiting tasks.
    var now: Timestamp { mutation.now }
    /// In real time, for what happens.
    var real: Timestamp { mutation.real }

    init(
        _ mutation: Mutation, person: String, chance: Double, slice: BulkSlice,
        storeName: String? = nil, signs: VitalSigns = VitalSigns(saying: [:]),
        isRehearsal: Bool = false
    ) {
        self.mutation = mutation
        self.person = person
        self.chance = chance
        self.slice = slice
        self.storeName = storeName
        self.signs = signs
        self.isRehearsal = isRehearsal
    }

    func perform() throws -> BulkSlice.Outcome {
        try checkStoreName()
        try mutation.forgetEnded()
        try slice.verb.order.perform(in: self)
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
                undo: record, bulk: slice.bulk,
                script: script ?? VerbScript(at: now).lines(of: slice.verb))
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

/// The answer and the rules of verbs on tasks.
extension VerbContext {
    /// Notes that the task at hand is already as the verb would leave it, and why.
    func find(_ task: QueueTask, _ why: String) {
        found[task.id] = "#\(task.id) \(why)"
    }

    /// Reports tasks that needed no change; returns the changed ones.
    func changed(after participle: String) -> [TaskID] {
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
