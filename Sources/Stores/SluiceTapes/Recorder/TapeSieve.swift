import SluiceModel
import SluiceStore

/// What of a store comes on a tape: some queues or all, without the values at some places of
/// payloads.
struct TapeSieve {
    /// The queues; nil for all.
    let queues: Set<String>?
    private let redactions: [PayloadPath]
    /// How often each redaction applied.
    private(set) var counts: [Int]
    /// The tasks that are on the tape.
    private var known: Set<TaskID> = []

    init(queues: [String]?, redactions: [PayloadPath]) {
        self.queues = queues.map { Set($0) }
        self.redactions = redactions
        counts = redactions.map { _ in 0 }
    }

    /// What of a commit comes on the tape.
    mutating func sifted(_ commit: TapeCommit) -> TapeCommit {
        var result = commit
        result.changes = sifted(commit.changes)
        if queues != nil { result.decisions = [] }
        if !redactions.isEmpty { result.decisions = result.decisions.map(sifted) }
        return result
    }

    mutating func sifted(_ changes: [TapeChange]) -> [TapeChange] {
        if queues == nil, redactions.isEmpty { return changes }
        return changes.compactMap { sifted($0) }
    }

    private func wants(_ queue: String?) -> Bool {
        guard let queues, let queue else { return true }
        return queues.contains(queue)
    }

    private mutating func sifted(_ change: TapeChange) -> TapeChange? {
        switch change {
        case .inserted(var new):
            guard wants(new.task.queue) else { return nil }
            if queues != nil { known.insert(new.task.id) }
            new.payload = redacted(new.payload)
            return .inserted(new)
        case .updated(let task):
            if isKnown(task.id) { return change }
            // It comes from a queue that is not recorded, and so does its payload.
            guard wants(task.queue) else { return nil }
            known.insert(task.id)
            return .inserted(NewTask(task: task, payload: []))
        case .removed(let ids):
            let kept = ids.filter(isKnown)
            return kept.isEmpty ? nil : .removed(kept)
        case .attempt(let attempt): return wants(attempt.queue) ? change : nil
        case .event(let event): return wants(event.queue) ? change : nil
        case .other(let other): return sifted(other).map(TapeChange.other)
        }
    }

    private func isKnown(_ id: TaskID) -> Bool { queues == nil || known.contains(id) }

    private mutating func sifted(_ change: StoreChange) -> StoreChange? {
        switch change {
        case .queue(let queue): return wants(queue.name) ? change : nil
        case .removedQueue(let name), .clearedRunMarks(let name): return wants(name) ? change : nil
        case .permit(let permit): return wants(permit.queue) ? change : nil
        case .payload(let payload, let id):
            return isKnown(id) ? .payload(redacted(payload), of: id) : nil
        case .result(_, let id), .origin(_, let id): return isKnown(id) ? change : nil
        case .store, .process, .removedProcess, .removedPermits, .undone: return change
        case .offer, .removedOffer, .journalBytes, .movedRecords, .images, .removedImages,
            .step:
            return nil
        }
    }

    /// A result may say what a payload does: it is left out of what the rules were asked.
    private func sifted(_ decision: TapeDecision) -> TapeDecision {
        guard case .settle(let completions) = decision.question else { return decision }
        var decision = decision
        decision.question = .settle(
            completions.map { completion in
                var completion = completion
                completion.result = nil
                return completion
            })
        return decision
    }

    private mutating func redacted(_ payload: [UInt8]) -> [UInt8] {
        guard !redactions.isEmpty, var value = try? JSONValue.parse(payload) else {
            return payload
        }
        var isChanged = false
        for (place, path) in redactions.enumerated()
        where value.redact(path.steps[...]) {
            counts[place] += 1
            isChanged = true
        }
        return isChanged ? Array(value.text.utf8) : payload
    }
}

extension JSONValue {
    /// Puts a word in the place of what stands at the end of a path; whether something stood there.
    fileprivate mutating func redact(_ steps: ArraySlice<PayloadPath.Step>) -> Bool {
        guard let step = steps.first else {
            self = "redacted"
            return true
        }
        switch (step, self) {
        case (.key(let key), .object(var object)):
            guard var value = object[key], value.redact(steps.dropFirst()) else { return false }
            object[key] = value
            self = .object(object)
        case (.index(let index), .array(var elements)):
            guard elements.indices.contains(index),
                elements[index].redact(steps.dropFirst())
            else { return false }
            self = .array(elements)
        default: return false
        }
        return true
    }
}
