/// A condition on a store (G7): checks of queues, tasks and attempts, with `and`, `or`, `not` and
/// parentheses.
///
/// A pure value: `init(_:saved:)` parses it, and `verdict(_:)` evaluates it for one moment of a
/// store.
package struct Expectation: Hashable, Sendable {
    package indirect enum Expression: Hashable, Sendable {
        case all([Expression])
        case any([Expression])
        /// It does not hold.
        case not(Expression)
        case check(Check)
    }

    package struct Check: Hashable, Sendable {
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

/// The result of an expectation at one moment.
package struct ExpectationVerdict: Hashable, Sendable {
    package var held: Bool
    /// The expected values: all if it held, else the parts that failed.
    package var expected: String
    /// The actual values of these parts.
    package var actual: String
    /// The tasks in the way, a few of them.
    package var tasks: [TaskID]
}

extension Expectation {
    /// The maximum number of tasks to name for one check.
    package static let namedTasks = 5

    /// Evaluates the expectation and finds the responsible tasks. It evaluates every check, so that
    /// an error in one always surfaces. A missing task or value is never equal and never unequal.
    /// Throws only errors of `facts`.
    package func verdict(_ facts: some ExpectationFacts) throws -> ExpectationVerdict {
        let finding = try expression.finding(facts)
        var tasks: [TaskID] = []
        for task in finding.tasks where !tasks.contains(task) { tasks.append(task) }
        return ExpectationVerdict(
            held: finding.holds, expected: finding.holds ? text : finding.expected,
            actual: finding.actual, tasks: finding.holds ? [] : tasks)
    }
}

/// The result of a part.
private struct Finding {
    var holds: Bool
    var expected: String
    var actual: String
    var tasks: [TaskID] = []

    /// Several parts as one.
    init(_ parts: [Finding], holds: Bool, between word: String) {
        self.holds = holds
        expected = parts.map(\.expected).joined(separator: " \(word) ")
        actual = parts.map(\.actual).joined(separator: "; ")
        tasks = parts.flatMap(\.tasks)
    }

    init(_ holds: Bool, _ expected: String, _ actual: String, _ tasks: [TaskID] = []) {
        (self.holds, self.expected) = (holds, expected)
        (self.actual, self.tasks) = (actual, tasks)
    }
}

extension Expectation.Expression {
    fileprivate func finding(_ facts: some ExpectationFacts) throws -> Finding {
        switch self {
        case .all(let parts):
            let found = try parts.map { try $0.finding(facts) }
            let holds = found.allSatisfy(\.holds)
            // Parts that hold are not responsible.
            return Finding(
                holds ? found : found.filter { !$0.holds }, holds: holds, between: "and")
        case .any(let parts):
            let found = try parts.map { try $0.finding(facts) }
            let holds = found.contains(where: \.holds)
            var joined = Finding(
                holds ? found.filter(\.holds) : found, holds: holds, between: "or")
            if !holds { joined.expected = "(\(joined.expected))" }
            return joined
        case .not(let part):
            let found = try part.finding(facts)
            return Finding(
                !found.holds, "not (\(part.words))", found.actual, found.tasks)
        case .check(let check): return try check.finding(facts)
        }
    }

    /// As a person may write it.
    private var words: String {
        switch self {
        case .all(let parts): parts.map { $0.inner }.joined(separator: " and ")
        case .any(let parts): parts.map { $0.inner }.joined(separator: " or ")
        case .not(let part): "not \(part.inner)"
        case .check(let check): check.text
        }
    }

    private var inner: String {
        if case .check(let check) = self { check.text } else { "(\(words))" }
    }
}

extension Expectation.Check {
    private static let named = Expectation.namedTasks

    fileprivate func finding(_ facts: some ExpectationFacts) throws -> Finding {
        switch kind {
        case .empty(let queue):
            let live = try facts.live(in: queue, first: Self.named)
            let isEmpty = live.waiting == 0 && live.running == 0
            let actual =
                isEmpty
                ? "nothing waits or runs in \(queue)"
                : "\(live.waiting) waiting and \(live.running) running in \(queue)"
            return Finding(isEmpty, text, actual, live.first)
        case .count(let filter, let comparison, let number):
            let found = try facts.count(filter, first: Self.named)
            return counted("match \(filter)", "matches \(filter)", found, comparison, number)
        case .ran(let filter, let comparison, let number):
            let found = try facts.ran(filter, first: Self.named)
            return counted(
                "attempts of \(filter) ended", "attempt of \(filter) ended", found, comparison,
                number)
        case .order(let queue, let wanted, let isNegated):
            return try order(queue, wanted, isNegated, facts)
        case .state(let reference, let state, let isNegated):
            return try of(reference, facts) { task, name in
                guard let display = task.display else {
                    return (false, "\(name) has gone, and nothing says how it ended")
                }
                let shows = state.displays.contains(display)
                let gone = task.isGone ? ", and has gone" : ""
                return (shows != isNegated, "\(name) is \(display.rawValue)\(gone)")
            }
        case .attempts(let reference, let comparison, let number):
            return try of(reference, facts) { task, name in
                let words = task.attempts == 1 ? "1 attempt" : "\(task.attempts) attempts"
                return (comparison.holds(Int64(task.attempts), number), "\(name) had \(words)")
            }
        case .payload(let reference, let path, let check):
            return try of(reference, facts) { task, name in
                guard let payload = try facts.payload(of: task.id) else {
                    return (false, "\(name) was removed with its payload")
                }
                let value = path.words(in: payload).map { "is \($0)" } ?? "is not there"
                return (check.holds(at: path, in: payload), "payload(\(name))\(path) \(value)")
            }
        }
    }

    private func counted(
        _ several: String, _ one: String, _ found: CountedTasks,
        _ comparison: TaskFilter.Comparison, _ number: Int64
    ) -> Finding {
        Finding(
            comparison.holds(Int64(found.count), number), text,
            "\(found.count) \(found.count == 1 ? one : several)", found.first)
    }

    private func of(
        _ reference: TaskReference, _ facts: some ExpectationFacts,
        _ body: (ExpectedTask, String) throws -> (holds: Bool, actual: String)
    ) throws -> Finding {
        guard let task = try facts.task(reference) else {
            return Finding(false, text, "there is no task \(reference)")
        }
        let (holds, actual) = try body(task, try facts.name(task.id))
        return Finding(holds, text, actual, task.isGone ? [] : [task.id])
    }

    private func order(
        _ queue: String, _ wanted: [TaskReference], _ isNegated: Bool,
        _ facts: some ExpectationFacts
    ) throws -> Finding {
        // One more than wanted shows whether there are others.
        let live = try facts.live(in: queue, first: max(wanted.count + 1, 20))
        var ids: [TaskID?] = []
        for reference in wanted { ids.append(try facts.task(reference)?.id) }
        let count = live.waiting + live.running
        let isSame = count == wanted.count && live.first.map(Optional.some) == ids
        let names = try live.first.prefix(max(wanted.count, 20)).map(facts.name)
        let more = count > names.count ? ", … (\(count) in all)" : ""
        let place = live.first.indices.first { place in
            !ids.indices.contains(place) || ids[place] != live.first[place]
        }
        let inTheWay = place.map { Array(live.first[$0...].prefix(1)) } ?? []
        let known = Set(live.first)
        return Finding(
            isSame != isNegated, text,
            "order(\(queue)) is [\(names.joined(separator: ", "))\(more)]",
            inTheWay + ids.compactMap { $0 }.filter { known.contains($0) }.prefix(Self.named - 1))
    }
}

extension PayloadPath {
    /// The value in source form, truncated if long; `nil` if missing.
    fileprivate func words(in payload: [UInt8]) -> String? {
        guard let value = written(in: payload) else { return nil }
        return value.count > 200 ? "\(value.prefix(200))…" : value
    }
}
