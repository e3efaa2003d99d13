import SluiceModel
import SluiceStore

/// Selects the changes for a tape: all queues or some, without redacted payload values.
struct TapeSieve {
    /// The queues; nil for all.
    let queues: Set<String>?
    private var redactor: TapeRedactor
    /// How often each redaction applied.
    var counts: [Int] { redactor.counts }
    /// The tasks that are on the tape, where not all are.
    private var known: Set<TaskID> = []
    /// The tasks that this commit removes.
    private var gone: Set<TaskID> = []
    /// Whether a task came from a queue that is not recorded: its payload is not on the tape.
    private var lacksPayloads = false
    private var hasBreakpoints = false

    init(queues: [String]?, redactions: [PayloadPath]) {
        self.queues = queues.map { Set($0) }
        redactor = TapeRedactor(redactions)
    }

    private var keepsAll: Bool { queues == nil && redactor.isEmpty }

    /// The part of a commit that belongs on the tape.
    mutating func sifted(_ commit: TapeCommit) -> TapeCommit {
        guard !keepsAll else { return commit }
        var result = TapeCommit(at: commit.at)
        // The number of changes kept before each index.
        var places = [0]
        for change in commit.changes {
            if let kept = sifted(change) { result.changes.append(kept) }
            places.append(result.changes.count)
        }
        for decision in commit.decisions {
            let span = decision.span.clamped(to: 0..<commit.changes.count)
            guard let question = sifted(decision.question, commit.changes[span]) else { continue }
            result.decisions.append(
                TapeDecision(question, span: places[span.lowerBound]..<places[span.upperBound]))
        }
        endCommit()
        return result
    }

    mutating func sifted(_ changes: [TapeChange]) -> [TapeChange] {
        guard !keepsAll else { return changes }
        defer { endCommit() }
        return changes.compactMap { sifted($0) }
    }

    private mutating func endCommit() {
        known.subtract(gone)
        gone.removeAll()
        redactor.endCommit()
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
            new.payload = redactor.payload(new.payload, of: new.task.id)
            new.task = redactor.task(new.task)
            return .inserted(new)
        case .updated(let task): return sifted(task)
        case .removed(let ids):
            let kept = ids.filter(isKnown)
            gone.formUnion(kept)
            redactor.record(gone: kept)
            return kept.isEmpty ? nil : .removed(kept)
        case .attempt(let attempt):
            return wants(attempt.queue) ? .attempt(redactor.attempt(attempt)) : nil
        case .event(let event): return wants(event.queue) ? .event(redactor.event(event)) : nil
        case .other(let other): return sifted(other).map(TapeChange.other)
        }
    }

    private mutating func sifted(_ task: QueueTask) -> TapeChange? {
        switch (isKnown(task.id), wants(task.queue)) {
        case (true, true): return .updated(redactor.task(task))
        case (false, false): return nil
        case (true, false):
            // It went to a queue that is not recorded.
            known.remove(task.id)
            redactor.record(gone: [task.id])
            return .removed([task.id])
        case (false, true):
            // It comes from a queue that is not recorded, and so does its payload.
            known.insert(task.id)
            lacksPayloads = true
            return .inserted(NewTask(task: task, payload: []))
        }
    }

    private func isKnown(_ id: TaskID) -> Bool { queues == nil || known.contains(id) }

    private mutating func sifted(_ change: StoreChange) -> StoreChange? {
        switch change {
        case .queue(let queue): return wants(queue.name) ? .queue(redactor.queue(queue)) : nil
        case .removedQueue(let name), .clearedRunMarks(let name): return wants(name) ? change : nil
        case .permit(let permit): return wants(permit.queue) ? change : nil
        case .payload(let payload, let id):
            return isKnown(id) ? .payload(redactor.payload(payload, of: id), of: id) : nil
        case .result(let result, let id):
            return isKnown(id)
                ? .result(result.map { redactor.bytes($0, of: id) }, of: id) : nil
        case .origin(_, let id): return isKnown(id) ? change : nil
        case .store(let record):
            hasBreakpoints = !record.breakpoints.all.isEmpty
            return change
        case .process, .removedProcess, .removedPermits, .undone: return change
        case .offer, .removedOffer, .movedRecords, .images, .removedImages, .step:
            return nil
        }
    }
}

/// Filters the questions to the rules. Keeps a question only if the recorded queues alone can
/// answer it again.
extension TapeSieve {
    private func sifted(
        _ question: TapeDecision.Question, _ changes: ArraySlice<TapeChange>
    ) -> TapeDecision.Question? {
        // A breakpoint or a fault counts matches in every queue.
        let hasCounted = changes.contains { if case .other(.store) = $0 { true } else { false } }
        switch question {
        case .claim(let request, let gave):
            guard queues != nil else { return question }
            return hasCounted ? nil : sifted(request, gave)
        case .settle(let completions):
            let kept = completions.filter { isKnown($0.task) }
            guard !kept.isEmpty, kept.count == completions.count || !hasCounted else {
                return nil
            }
            return .settle(kept.map(redactor.completion))
        }
    }

    /// Filters a claim. Omits a claim without tasks of these queues: other tasks may have taken all
    /// slots, or one must run alone.
    ///
    /// A claim with tasks of these queues used the slots left by the others. With several queues,
    /// it is certain only if it filled all slots.
    private func sifted(
        _ request: ClaimRequest, _ gave: [TaskID]
    ) -> TapeDecision.Question? {
        let kept = gave.filter(isKnown)
        let others = gave.count - kept.count
        let isSure = queues?.count == 1 || others == 0 && kept.count >= request.freeSlots
        guard !kept.isEmpty, isSure, !(lacksPayloads && hasBreakpoints) else { return nil }
        var request = request
        request.freeSlots -= others
        request.inFlight += others
        return .claim(request, gave: kept)
    }
}
