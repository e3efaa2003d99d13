/// What became of an expectation at one moment.
package struct ExpectationVerdict: Hashable, Sendable {
    /// Whether it held.
    package var held: Bool
    /// What was expected: all of it where it held, else the parts that did not hold.
    package var expected: String
    /// What is, of these parts.
    package var actual: String
    /// The tasks in the way, a few of them.
    package var tasks: [TaskID]
}

extension Expectation {
    /// So many tasks are named for one check.
    package static let namedTasks = 5

    /// Whether it holds, and what is in the way. Every check is asked, so that a mistake in one is
    /// told whatever the others say. A task that has no such value, or is not there, is never equal
    /// and never unequal. Throws only what `facts` throw.
    package func verdict(_ facts: some ExpectationFacts) throws -> ExpectationVerdict {
        let finding = try expression.finding(facts)
        var tasks: [TaskID] = []
        for task in finding.tasks where !tasks.contains(task) { tasks.append(task) }
        return ExpectationVerdict(
            held: finding.holds, expected: finding.holds ? text : finding.expected,
            actual: finding.actual, tasks: finding.holds ? [] : tasks)
    }
}

/// What was found of a part.
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
            // What holds already is not in the way.
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

    /// As one may write it.
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
                    return (false, "\(name) has gone, and its payload with it")
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
        // One more than was written tells whether there is more.
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
    /// What stands there as it is written, cut where it is long; nil where nothing does.
    fileprivate func words(in payload: [UInt8]) -> String? {
        guard let value = written(in: payload) else { return nil }
        return value.count > 200 ? "\(value.prefix(200))…" : value
    }
}
