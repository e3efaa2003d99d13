extension TaskFilter {
    /// Whether a task matches. A waiting task that has expired shows as failed, and counts so (Q8).
    /// A comparison with what the task does not have does not hold. Throws only what `facts` throw.
    package func matches(_ task: QueueTask, _ facts: some FilterFacts) throws -> Bool {
        var question = FilterQuestion(of: task, facts)
        return try question.isMatched(by: self)
    }
}

/// One task on its way through filters; a payload that several words ask about is read once.
package struct FilterQuestion<Facts: FilterFacts> {
    private let task: QueueTask
    private let facts: Facts
    private var knownPayload: [UInt8]?

    /// Creates a question about a task with further facts.
    package init(of task: QueueTask, _ facts: Facts) {
        self.task = task
        self.facts = facts
    }

    /// Whether the task matches a filter. Throws only what the facts throw.
    package mutating func isMatched(by filter: TaskFilter) throws -> Bool {
        try holds(filter.plan)
    }

    /// Whether an expression holds of the task, which is the plan of a filter or a part of one.
    mutating func holds(_ expression: TaskFilter.Expression) throws -> Bool {
        switch expression {
        case .all(let parts):
            for part in parts where try !holds(part) { return false }
            return true
        case .any(let parts):
            for part in parts where try holds(part) { return true }
            return false
        case .not(let part): return try !holds(part)
        case .saved(_, let part): return try holds(part)
        case .term(let term): return try holds(term)
        }
    }

    private mutating func holds(_ term: TaskFilter.Term) throws -> Bool {
        switch term {
        case .letters(let letters):
            return try task.prose.contains { letters.stand(in: $0) }
                || letters.stand(in: payload())
        case .state(let states):
            let display = try facts.display()
            return try states.contains { try shows($0, display) }
        case .field(let field, let patterns):
            let isProse = field.isProse
            return try values(of: field).contains { value in
                patterns.contains { isProse ? $0.stands(in: value) : $0.means(value) }
            }
        case .expression(.text, let expression): return try expression.matches(payload())
        case .expression(let field, let expression):
            return try values(of: field).contains { expression.matches($0) }
        case .text(let text): return try payload().holds(Array(text.utf8))
        case .id(let ranges, let uuids):
            if ranges.contains(where: { $0.contains(task.id) }) { return true }
            guard !uuids.isEmpty, let uuid = try facts.uuid() else { return false }
            return uuids.contains { $0.matches(uuid: uuid) }
        case .measure(let measure, let comparison, let value):
            return try self.value(of: measure).map { comparison.holds($0, value) } ?? false
        case .payload(let path, let check): return try check.holds(at: path, in: payload())
        }
    }

    /// An app's SDK removes only tasks of its folder, which have a UUID.
    private func shows(_ state: TaskFilter.State, _ display: Display) throws -> Bool {
        guard state.displays.contains(display) else { return false }
        guard state == .expiring else { return true }
        return try task.expiresAtAppStart(real: facts.real) && facts.uuid() != nil
    }

    private mutating func payload() throws -> [UInt8] {
        if let knownPayload { return knownPayload }
        let payload = try facts.payload()
        knownPayload = payload
        return payload
    }

    private func values(of field: TaskFilter.Field) throws -> [String] {
        switch field {
        case .type: return [task.type]
        case .queue: return [task.queue]
        case .group: return (task.groupStart.map { [$0] } ?? []) + task.groupMembers
        case .session: return task.session.map { [$0] } ?? []
        case .label: return task.label.map { [$0] } ?? []
        case .unique: return task.uniqueKey.map { [$0] } ?? []
        case .error: return task.errors
        case .id:
            let uuid = try facts.uuid()
            return ["\(task.id)"] + (uuid.map { [$0] } ?? [])
        case .runner:
            if let owner = task.running?.owner { return ["\(owner)"] }
            return try lastAttempt().map { ["\($0.runner)"] } ?? []
        case .state:
            let display = try facts.display()
            return try TaskFilter.State.allCases.filter { try shows($0, display) }
                .map(\.rawValue)
        case .text: return []
        case .stage: return try lastAttempt()?.stages.last.map { [$0.name] } ?? []
        case .twin: return try facts.twins().map { "\($0)" }
        case .failure:
            guard case .failed(let failure) = task.state else { return [] }
            return [FailureKind(of: failure.reason).name]
        }
    }

    private func lastAttempt() throws -> AttemptRecord? {
        task.executions > 0 ? try facts.lastAttempt() : nil
    }

    private mutating func value(of measure: TaskFilter.Measure) throws -> Int64? {
        switch measure {
        case .attempts: return Int64(task.attempts)
        case .priority: return Int64(task.priority)
        case .size: return Int64(try payload().count)
        case .age: return facts.now - task.createdAt
        case .changed: return facts.real - task.updatedAt
        case .due: return task.untilDue(at: facts.now)
        case .duration:
            if let since = task.running?.since { return max(0, facts.real - since) }
            return try lastAttempt().map { max(0, ($0.endedAt ?? facts.real) - $0.startedAt) }
        }
    }
}

extension QueueTask {
    /// The task's errors: the last error, and the reason of its failure.
    package var errors: [String] {
        var errors = lastError.map { [$0] } ?? []
        var state = state
        if case .deleted(let trash) = state { state = trash.former }
        if case .failed(let failure) = state, failure.reason != lastError {
            errors.append(failure.reason)
        }
        return errors
    }

    /// The texts that a person reads of it, its payload apart.
    var prose: [String] {
        var texts = [type] + errors + groupMembers
        let client = clientString.map { String(decoding: $0.bytes, as: UTF8.self) }
        for text in [label, groupStart, client] {
            if let text { texts.append(text) }
        }
        return texts
    }

    /// How long a waiting task waits by the clock alone, 0 where its time has come; nil for one
    /// that does not wait, or that waits for a person.
    fileprivate func untilDue(at now: Timestamp) -> Int64? {
        guard let waiting, waiting.parking == nil else { return nil }
        var moment = waiting.timer?.until ?? now
        if let skip = waiting.skip {
            guard let until = skip.until else { return nil }
            moment = max(moment, until)
        }
        return max(0, moment - now)
    }
}
