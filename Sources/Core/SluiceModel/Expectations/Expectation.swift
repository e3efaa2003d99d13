/// A condition on a store (G7): checks of queues, tasks and attempts, with `and`, `or`, `not` and
/// parentheses.
///
/// A pure value: `init(_:saved:)` parses it, and `verdict(_:)` evaluates it for one moment of a
/// store.
package struct Expectation: Hashable, Sendable {
    /// The structure of an expectation.
    package indirect enum Expression: Hashable, Sendable {
        case all([Expression])
        /// One of them holds.
        case any([Expression])
        /// It does not hold.
        case not(Expression)
        case check(Check)
    }

    /// One check and its text.
    package struct Check: Hashable, Sendable {
        /// The subject of a check.
        package var kind: Kind
        package var text: String
    }

    /// The subject of a check.
    package enum Kind: Hashable, Sendable {
        /// Nothing waits or runs in a queue.
        case empty(queue: String)
        /// How many tasks match a filter; the parts of a list count as for `list`.
        case count(TaskFilter, TaskFilter.Comparison, Int64)
        /// How many attempts that match a filter have ended.
        case ran(TaskFilter, TaskFilter.Comparison, Int64)
        /// The displayed state of a task, in the words of filters.
        case state(TaskReference, TaskFilter.State, isNegated: Bool)
        /// How many counted executions a task had.
        case attempts(TaskReference, TaskFilter.Comparison, Int64)
        /// The running and waiting tasks of a queue, in order.
        case order(queue: String, [TaskReference], isNegated: Bool)
        /// A value in the payload of a task.
        case payload(TaskReference, PayloadPath, PayloadCheck)
    }

    package let text: String
    /// The parsed condition.
    package let expression: Expression

    /// An expectation of its parts.
    init(_ text: String, _ expression: Expression) {
        (self.text, self.expression) = (text, expression)
    }

    /// The checks, in source order.
    package var checks: [Check] { expression.checks }

    /// Replaces each typed queue name by the result of `names`. Keeps a name without a result, and
    /// a name with several results if the check takes one queue.
    package func namingQueues(_ names: (String) -> [String]) -> Expectation {
        Expectation(text, expression.namingQueues(names))
    }
}

extension Expectation.Expression {
    fileprivate var checks: [Expectation.Check] {
        switch self {
        case .all(let parts), .any(let parts): parts.flatMap(\.checks)
        case .not(let part): part.checks
        case .check(let check): [check]
        }
    }

    fileprivate func namingQueues(_ names: (String) -> [String]) -> Self {
        switch self {
        case .all(let parts): .all(parts.map { $0.namingQueues(names) })
        case .any(let parts): .any(parts.map { $0.namingQueues(names) })
        case .not(let part): .not(part.namingQueues(names))
        case .check(let check): .check(check.namingQueues(names))
        }
    }
}

extension Expectation.Check {
    fileprivate func namingQueues(_ names: (String) -> [String]) -> Self {
        func only(_ queue: String) -> String {
            let meant = names(queue)
            return meant.count == 1 ? meant[0] : queue
        }
        var check = self
        switch kind {
        case .empty(let queue): check.kind = .empty(queue: only(queue))
        case .order(let queue, let tasks, let isNegated):
            check.kind = .order(queue: only(queue), tasks, isNegated: isNegated)
        case .count(let filter, let comparison, let number):
            check.kind = .count(filter.namingQueues(names), comparison, number)
        case .ran(let filter, let comparison, let number):
            check.kind = .ran(filter.namingQueues(names), comparison, number)
        case .state, .attempts, .payload: break
        }
        return check
    }
}

extension Expectation.Check {
    /// Whether it counts ended attempts, so the store must have kept all of them.
    package var asksHistory: Bool {
        if case .ran = kind { return true }
        return false
    }

    /// Whether its result may change by time alone, without a commit or a known moment. Ages grow,
    /// and running tasks get stuck.
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
