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

/// Facts that hold for every match. An engine narrows its search by them and tests each candidate
/// by `matches`.
extension TaskFilter {
    /// The stored states that a match may have.
    package var storedStates: Set<TaskState.Name> { expression.states }

    /// Whether a word that must hold chooses states, so that finished and deleted tasks may be
    /// shown.
    package var asksState: Bool { expression.asksState }

    /// The stored states to search: the requested states, or `usual` if the filter requests none.
    package func states(usually usual: Set<TaskState.Name>) -> Set<TaskState.Name> {
        asksState ? storedStates : storedStates.intersection(usual)
    }

    /// The names that every match has one of, of a field that is matched exactly; nil where any may
    /// do.
    package func names(of field: Field) -> Set<String>? { expression.names(of: field) }

    /// The queue of every match, if a word names one.
    package var queue: String? { onlyName(of: .queue) }

    /// The exact value that every match has in a field, if a term requires one.
    package func onlyName(of field: Field) -> String? {
        guard let names = names(of: field), names.count == 1 else { return nil }
        return names.first
    }

    /// Bytes that every match's payload contains; `nil` if unknown.
    package var text: [UInt8]? { expression.text.map { Array($0.utf8) } }

    /// The numbers that every match has, where a word names few enough; asked of a filter whose
    /// UUIDs were found.
    package func ids(atMost limit: Int) -> [TaskID]? {
        guard let ranges = expression.ids else { return nil }
        var count = 0
        for range in ranges {
            let (width, overflow) = range.upperBound.subtractingReportingOverflow(range.lowerBound)
            guard !overflow, width < limit else { return nil }
            count += Int(width) + 1
            guard count <= limit else { return nil }
        }
        return Array(Set(ranges.flatMap { Array($0) })).sorted()
    }

    /// The displayed states of matches; `nil` for any.
    package var displays: Set<Display>? { expression.displays }

    /// Whether a word may ask about the payload.
    package var asksPayload: Bool { expression.terms.contains(where: \.asksPayload) }

    /// The letters that a match may have been found by, for what marks them.
    package var hits: [FoldedLetters] { expression.hits }

    /// The filter with the tasks of a folder that its UUIDs mean, by their numbers, which `find`
    /// gives.
    package func finding(
        _ find: (TaskReference) throws -> [TaskID]
    ) rethrows -> TaskFilter {
        TaskFilter(try expression.finding(find))
    }

    /// Replaces each typed queue name by the results of `names`. Keeps a name without a result.
    package func namingQueues(_ names: (String) -> [String]) -> TaskFilter {
        TaskFilter(
            expression.mapping { term in
                guard case .field(.queue, let patterns) = term else { return term }
                return .field(
                    .queue,
                    patterns.flatMap { pattern in
                        let meant = pattern.typed.map(names) ?? []
                        return meant.isEmpty ? [pattern] : meant.map { FilterPattern($0) }
                    })
            })
    }
}

extension TaskFilter.Expression {
    /// The combined bound of all parts: the intersection of their sets. For fields with several
    /// values it is the smallest set, because each part may concern another value.
    private func bound<Value: Hashable>(
        ofSeveral: Bool = false, _ ofTerm: (TaskFilter.Term) -> Set<Value>?
    ) -> Set<Value>? {
        switch self {
        case .term(let term): return ofTerm(term)
        case .saved(_, let part): return part.bound(ofSeveral: ofSeveral, ofTerm)
        case .not: return nil
        case .all(let parts):
            let known = parts.compactMap { $0.bound(ofSeveral: ofSeveral, ofTerm) }
            if ofSeveral { return known.min { $0.count < $1.count } }
            return known.dropFirst().reduce(known.first) { $0?.intersection($1) }
        case .any(let parts):
            var union: Set<Value> = []
            for part in parts {
                guard let new = part.bound(ofSeveral: ofSeveral, ofTerm) else { return nil }
                union.formUnion(new)
            }
            return union
        }
    }

    fileprivate var states: Set<TaskState.Name> {
        bound { term in
            switch term {
            case .state(let states): Set(states.flatMap(\.stored))
            case .measure(.due, _, _): [.waiting]
            case .field(.failure, _): [.failed]
            default: nil
            }
        } ?? Set(TaskState.Name.allCases)
    }

    fileprivate var displays: Set<Display>? {
        bound { term in
            guard case .state(let states) = term else { return nil }
            return states.reduce(into: []) { $0.formUnion($1.displays) }
        }
    }

    fileprivate func names(of field: TaskFilter.Field) -> Set<String>? {
        guard !field.isProse else { return nil }
        return bound(ofSeveral: field == .group) { term in
            guard case .field(field, let patterns) = term else { return nil }
            let names = patterns.compactMap(\.exact)
            return names.count == patterns.count ? Set(names) : nil
        }
    }

    fileprivate var ids: [ClosedRange<TaskID>]? {
        switch self {
        case .term(.id(let ranges, _)): return ranges
        case .saved(_, let part): return part.ids
        case .term, .not: return nil
        case .all(let parts): return parts.lazy.compactMap(\.ids).first
        case .any(let parts):
            let ids = parts.compactMap(\.ids)
            return ids.count == parts.count ? ids.flatMap { $0 } : nil
        }
    }

    fileprivate var text: String? {
        switch self {
        case .term(.text(let text)): text
        case .saved(_, let part): part.text
        case .all(let parts): parts.lazy.compactMap(\.text).first
        case .term, .not, .any: nil
        }
    }

    fileprivate var asksState: Bool {
        switch self {
        case .term(let term): term.asksDisplay
        case .saved(_, let part): part.asksState
        case .all(let parts), .any(let parts): parts.contains(where: \.asksState)
        case .not: false
        }
    }

    fileprivate var hits: [FoldedLetters] {
        switch self {
        case .term(.letters(let letters)): [letters]
        case .term(.text(let text)): [FoldedLetters(text)]
        case .term(.field(let field, let patterns)) where field.isProse:
            patterns.flatMap(\.pieces).filter { !$0.isEmpty }.map(FoldedLetters.init)
        case .saved(_, let part): part.hits
        case .all(let parts), .any(let parts): parts.flatMap(\.hits)
        case .term, .not: []
        }
    }

    fileprivate func finding(
        _ find: (TaskReference) throws -> [TaskID]
    ) rethrows -> TaskFilter.Expression {
        switch self {
        case .term(.id(let ranges, let uuids)) where !uuids.isEmpty:
            return .term(.id(ranges + (try uuids.flatMap(find).map { $0...$0 })))
        case .term: return self
        case .not(let part): return .not(try part.finding(find))
        case .saved(let name, let part): return .saved(name, try part.finding(find))
        case .all(let parts): return .all(try parts.map { try $0.finding(find) })
        case .any(let parts): return .any(try parts.map { try $0.finding(find) })
        }
    }

    fileprivate func mapping(
        _ change: (TaskFilter.Term) -> TaskFilter.Term
    ) -> TaskFilter.Expression {
        switch self {
        case .term(let term): .term(change(term))
        case .not(let part): .not(part.mapping(change))
        case .saved(let name, let part): .saved(name, part.mapping(change))
        case .all(let parts): .all(parts.map { $0.mapping(change) })
        case .any(let parts): .any(parts.map { $0.mapping(change) })
        }
    }
}
