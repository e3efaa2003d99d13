/// What must hold in a store (rule G7): checks of queues, tasks and attempts, put together by
/// `and`, `or`, `not` and parentheses.
///
/// A pure value: read from a text by `init(_:saved:)`, and held against what a store says by
/// `verdict(_:)`. It asks about one moment.
package struct Expectation: Hashable, Sendable {
    /// How checks are put together.
    package indirect enum Expression: Hashable, Sendable {
        /// All of them hold.
        case all([Expression])
        /// One of them holds.
        case any([Expression])
        /// It does not hold.
        case not(Expression)
        /// One check.
        case check(Check)
    }

    /// One check, as it was written.
    package struct Check: Hashable, Sendable {
        /// What is checked.
        package var kind: Kind
        /// As it was written.
        package var text: String
    }

    /// What is checked.
    package enum Kind: Hashable, Sendable {
        /// Nothing waits or runs in a queue.
        case empty(queue: String)
        /// How many tasks match a filter; the parts of a list count as for `list`.
        case count(TaskFilter, TaskFilter.Comparison, Int64)
        /// How many attempts that match a filter have ended.
        case ran(TaskFilter, TaskFilter.Comparison, Int64)
        /// What a task shows, in the words of filters.
        case state(TaskReference, TaskFilter.State, isNegated: Bool)
        /// How many counted executions a task had.
        case attempts(TaskReference, TaskFilter.Comparison, Int64)
        /// What runs and waits in a queue, in its order.
        case order(queue: String, [TaskReference], isNegated: Bool)
        /// A value in the payload of a task.
        case payload(TaskReference, PayloadPath, PayloadCheck)
    }

    /// As it was written.
    package let text: String
    /// What must hold.
    package let expression: Expression

    /// An expectation of its parts.
    init(_ text: String, _ expression: Expression) {
        (self.text, self.expression) = (text, expression)
    }

    /// The checks that it is made of, in the order in which they are written.
    package var checks: [Check] { expression.checks }
}

extension Expectation.Expression {
    fileprivate var checks: [Expectation.Check] {
        switch self {
        case .all(let parts), .any(let parts): parts.flatMap(\.checks)
        case .not(let part): part.checks
        case .check(let check): [check]
        }
    }
}

extension Expectation.Check {
    /// Whether it counts what has ended, of which a store must have kept all.
    package var asksHistory: Bool {
        if case .ran = kind { return true }
        return false
    }

    /// Whether time alone may change what it finds, without a commit and without a moment that the
    /// store names: an age grows, and what runs gets stuck.
    package var followsTime: Bool {
        switch kind {
        case .count(let filter, _, _), .ran(let filter, _, _):
            filter.expression.terms.contains { term in
                switch term {
                case .measure(let measure, _, _):
                    [.age, .due, .duration, .changed].contains(measure)
                case .state(let states): states.contains(.stuck)
                case .expression(.state, _): true
                default: false
                }
            }
        case .state(_, let state, _): state == .stuck
        case .empty, .attempts, .order, .payload: false
        }
    }
}
