/// A predicate over a task, its payload, its last attempt and a moment. The console's `/`,
/// `--filter` and other selections share its language (D10).
///
/// `matches` alone decides. An engine's index only narrows the candidates by the filter's bounds,
/// so all engines give the same answers.
public struct TaskFilter: Hashable, Sendable {
    /// Terms, put together.
    package indirect enum Expression: Hashable, Sendable {
        /// All of them hold; with none, always.
        case all([Expression])
        case any([Expression])
        /// It does not hold.
        case not(Expression)
        case saved(String, Expression)
        case term(Term)
    }

    package enum Term: Hashable, Sendable {
        /// These letters occur in its payload, type, label, groups, error or client string.
        case letters(FoldedLetters)
        case state([State])
        /// One of its values of the field is meant by one of the patterns.
        case field(Field, [FilterPattern])
        /// A regular expression matches one of its values of the field.
        case expression(Field, RegularExpression)
        /// Its payload holds these letters, byte for byte.
        case text(String)
        /// Its number is in one of the ranges, or its UUID in a folder starts with one of these.
        case id([ClosedRange<TaskID>], uuids: [TaskReference] = [])
        /// A number of it compares so.
        case measure(Measure, Comparison, Int64)
        /// A value in its JSON payload is so.
        case payload(PayloadPath, PayloadCheck)
    }

    /// A field that a word tests for a value.
    package enum Field: String, Hashable, Sendable, CaseIterable {
        case state, type, queue, group, session, label, error, id, runner, unique, text
        /// The kind of a failed task's error, by name (`FailureKind`).
        case failure
        /// The last stage of the last attempt (A7).
        case stage
        /// The numbers of its twins: the same type and payload within a minute.
        case twin

        /// Whether the case of letters says nothing, and a value is meant by a part of it.
        package var isProse: Bool { self == .label || self == .error }
    }

    /// A number that a word compares.
    package enum Measure: String, Hashable, Sendable, CaseIterable {
        /// Counted executions.
        case attempts
        /// The task's own priority.
        case priority
        /// Bytes of the payload.
        case size
        /// Milliseconds since its creation.
        case age
        /// Milliseconds until a waiting task is due; 0 where its time has come.
        case due
        /// Milliseconds that its last attempt took, or takes.
        case duration
        /// Milliseconds since it last changed.
        case changed
    }

    /// How two values compare.
    package enum Comparison: String, Hashable, Sendable, CaseIterable {
        case equal = "="
        case unequal = "!="
        case lessOrEqual = "<="
        case less = "<"
        case greaterOrEqual = ">="
        case greater = ">"

        /// Whether the first compares so with the second.
        package func holds<Value: Comparable>(_ first: Value, _ second: Value) -> Bool {
            switch self {
            case .equal: first == second
            case .unequal: first != second
            case .less: first < second
            case .lessOrEqual: first <= second
            case .greater: first > second
            case .greaterOrEqual: first >= second
            }
        }
    }

    /// The words after `state:`; a stored state takes in the finer ones that it shows as.
    package enum State: String, Hashable, Sendable, CaseIterable {
        case waiting, next, due, delayed, retrying, held, parked, skipped, blocked
        case running, stuck, succeeded, failed, deleted
        /// The app of a Customer.io folder removes it at its next start.
        case expiring

        /// The state of a word; `heldByGroup`, as `held` was once called, is still read.
        package init?(word: String) {
            self.init(rawValue: word == "heldByGroup" ? "held" : word)
        }
    }

    /// The condition, in source order.
    package let expression: Expression
    /// The same condition with cheap parts first.
    let plan: Expression

    /// A filter of an expression; without one every task matches.
    package init(_ expression: Expression = .all([])) {
        self.expression = expression
        plan = expression.inOrderOfCost
    }

    /// Compares the parsed source. Equivalent filters in another form are unequal.
    public static func == (left: TaskFilter, right: TaskFilter) -> Bool {
        left.expression == right.expression
    }

    /// Hashes the parsed source.
    public func hash(into hasher: inout Hasher) { hasher.combine(expression) }
}

extension TaskFilter.State {
    package var displays: Set<Display> {
        switch self {
        case .waiting, .expiring:
            [.next, .due, .delayed, .retrying, .held, .parked, .skipped, .blocked]
        case .next: [.next]
        case .due: [.next, .due]
        case .delayed: [.delayed]
        case .retrying: [.retrying]
        case .held: [.held]
        case .parked: [.parked]
        case .skipped: [.skipped]
        case .blocked: [.blocked]
        case .running: [.running, .stuck]
        case .stuck: [.stuck]
        case .succeeded: [.succeeded]
        case .failed: [.failed]
        case .deleted: [.deleted]
        }
    }

    /// The stored states that show so; an expired waiting task shows as failed (Q8).
    package var stored: [TaskState.Name] {
        switch self {
        case .waiting, .next, .due, .delayed, .retrying, .held, .parked, .skipped, .blocked,
            .expiring:
            [.waiting]
        case .running, .stuck: [.running]
        case .succeeded: [.succeeded]
        case .failed: [.failed, .waiting]
        case .deleted: [.deleted]
        }
    }
}

extension TaskFilter.Expression {
    /// All terms, including terms of saved and negated filters.
    package var terms: [TaskFilter.Term] {
        switch self {
        case .all(let parts), .any(let parts): parts.flatMap(\.terms)
        case .not(let part), .saved(_, let part): part.terms
        case .term(let term): [term]
        }
    }

    /// The same expression with cheap terms before expensive ones.
    fileprivate var inOrderOfCost: TaskFilter.Expression {
        func sorted(_ parts: [TaskFilter.Expression]) -> [TaskFilter.Expression] {
            let ordered = parts.map(\.inOrderOfCost)
            let keyed = ordered.enumerated().map { ($1.cost, $0, $1) }
            return keyed.sorted { ($0.0, $0.1) < ($1.0, $1.1) }.map(\.2)
        }
        return switch self {
        case .all(let parts): .all(sorted(parts))
        case .any(let parts): .any(sorted(parts))
        case .not(let part): .not(part.inOrderOfCost)
        case .saved(_, let part): part.inOrderOfCost
        case .term: self
        }
    }

    private var cost: Int { terms.map(\.cost).max() ?? 0 }
}

extension TaskFilter.Term {
    /// The cost of the facts that it needs besides the task.
    fileprivate var cost: Int {
        if asksTwins { return 4 }
        if asksLastAttempt { return 3 }
        if asksPayload { return 2 }
        return asksDisplay ? 1 : 0
    }

    /// Whether it is about what the task shows, which takes more than the task itself to know.
    package var asksDisplay: Bool {
        switch self {
        case .state: true
        case .expression(let field, _): field == .state
        default: false
        }
    }

    /// Whether it may be about the payload.
    package var asksPayload: Bool {
        switch self {
        case .letters, .text, .payload: true
        case .measure(let measure, _, _): measure == .size
        case .expression(let field, _): field == .text
        case .state, .field, .id: false
        }
    }

    /// Whether it is about the last attempt.
    package var asksLastAttempt: Bool {
        switch self {
        case .measure(let measure, _, _): measure == .duration
        case .field(let field, _), .expression(let field, _): field == .runner || field == .stage
        default: false
        }
    }

    /// Whether it is about other tasks like this one.
    package var asksTwins: Bool {
        switch self {
        case .field(let field, _), .expression(let field, _): field == .twin
        default: false
        }
    }
}
