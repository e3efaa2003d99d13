/// The restrictions on filters of breakpoints and faults. They may use only the task's own fields,
/// so the commit that starts or settles it reads nothing else (G1, G2).
extension TaskFilter {
    /// The same filter with what saved ones mean in their place.
    package var withoutNames: TaskFilter { TaskFilter(expression.withoutNames) }

    /// Throws `badFilter` with the first word that a breakpoint of a moment cannot know.
    package func checkForBreakpoint(_ moment: Breakpoint.Moment) throws(QueueError) {
        try check(at: moment, "a breakpoint", fix: Self.allowed + ", and error with --on-failure")
    }

    /// Throws `badFilter` with the first word that a fault cannot know.
    package func checkForFault() throws(QueueError) {
        try check(at: .before, "a fault", fix: Self.allowed)
    }

    private func check(
        at moment: Breakpoint.Moment, _ asker: String, fix: String
    ) throws(QueueError) {
        for term in expression.terms {
            guard let reason = term.refusal(at: moment) else { continue }
            throw QueueError(
                .badFilter, "\(asker) cannot ask \"\(term)\": \(reason)", fix: fix)
        }
    }

    private static let allowed =
        "ask type, queue, group, label, session, payload, text, attempts, priority, id or words"
}

extension TaskFilter.Expression {
    fileprivate var withoutNames: TaskFilter.Expression {
        switch self {
        case .all(let parts): .all(parts.map(\.withoutNames))
        case .any(let parts): .any(parts.map(\.withoutNames))
        case .not(let part): .not(part.withoutNames)
        case .saved(_, let part): part.withoutNames
        case .term: self
        }
    }
}

extension TaskFilter.Term {
    /// The reason why the term is not available at a moment, or `nil`.
    fileprivate func refusal(at moment: Breakpoint.Moment) -> String? {
        switch self {
        case .letters, .text, .id, .payload: nil
        case .state: Self.display
        case .field(let field, _), .expression(let field, _): Self.refusal(of: field, at: moment)
        case .measure(let measure, _, _):
            switch measure {
            case .attempts, .priority: nil
            case .size: "it does not know the size of a payload"
            case .age, .due, .duration, .changed:
                "time passes without a change of the task"
            }
        }
    }

    private static let display =
        "what a task shows depends on other tasks, workers and the time"

    private static func refusal(
        of field: TaskFilter.Field, at moment: Breakpoint.Moment
    ) -> String? {
        switch field {
        case .type, .queue, .group, .session, .label, .id, .text: nil
        case .error:
            moment == .onFailure ? nil : "there is an error only where an execution failed"
        case .state: display
        case .runner: "which worker takes a task is not known before"
        case .unique: "a unique key is about other tasks"
        case .twin: "twins are other tasks"
        case .stage: "a stage begins inside of an execution"
        case .failure: "it is kept for tasks that were given up"
        }
    }
}
