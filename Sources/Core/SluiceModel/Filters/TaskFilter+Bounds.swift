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

    /// Whether a word asks what a task shows, which takes more than the task itself to know.
    package var asksDisplay: Bool { expression.terms.contains(where: \.asksDisplay) }

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

    /// The expression with each term changed.
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
