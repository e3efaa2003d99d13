import SluiceModel
import SluiceStore

/// One verb while it is done: its mutation, who acts, and the answer that grows.
final class VerbContext {
    let mutation: Mutation
    let person: String
    let chance: Double
    let slice: BulkSlice
    var answer = Answer()
    var event: Int64?
    var undoRest: [Int64] = []
    /// The pauses of the store before an undo put others in their place.
    var storePausesBefore: [Pause]?
    var store: any StoreWriter { mutation.store }
    var now: Timestamp { mutation.now }

    init(_ mutation: Mutation, person: String, chance: Double, slice: BulkSlice) {
        self.mutation = mutation
        self.person = person
        self.chance = chance
        self.slice = slice
    }

    func perform() throws -> BulkSlice.Outcome {
        switch slice.verb {
        case .pause(let request): try pause(request)
        case .resume(let scope): try resume(scope)
        case .run(let queue, let limit): try run(queue, limit: limit)
        case .network(let forced): try forceNetwork(forced)
        case .enqueue(let queue, let requests): try enqueue(queue, requests)
        case .setQueue(let name, let changes): try setQueue(name, changes)
        case .deleteQueue(let name, let evenWithTasks): try deleteQueue(name, evenWithTasks)
        case .undo(let event): try undo(event)
        case .redo: try redo()
        case .move(let target, let place): try move(target, place)
        default: try performOnTasks(slice.verb)
        }
        return outcome
    }

    /// What the verb did, so far.
    var outcome: BulkSlice.Outcome {
        BulkSlice.Outcome(
            answer: answer, event: event, undoRest: undoRest, leavesWakes: mutation.leavesWakes)
    }

    /// Writes the verb's line into the journal, with what `undo` needs; gives its number.
    @discardableResult
    func journal(
        _ kind: String, queue: String?, task: TaskID? = nil, _ text: String, undo: UndoRecord?
    ) throws -> Int64 {
        let record = undo.flatMap { $0.isEmpty ? nil : $0 }
        let sequence = try store.append([
            JournalEvent(
                at: now, kind: kind, queue: queue, task: task, by: person, text: text,
                undo: record, bulk: slice.bulk)
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

    /// The task as it is, when it is still the one that was shown (D8).
    func task(_ target: TaskTarget) throws -> QueueTask { try store.task(as: target) }
}

extension StoreReader {
    /// The task as it is, when it is still the one that was shown (D8).
    func task(as target: TaskTarget) throws -> QueueTask {
        let task = try requireTask(target.id)
        if let version = target.version, version != task.version {
            throw QueueError.changed(
                target.id, "it is now \(task.state.name.rawValue), version \(task.version)")
        }
        return task
    }
}
