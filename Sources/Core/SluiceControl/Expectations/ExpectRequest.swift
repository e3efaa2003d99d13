package import SluiceModel
import SluiceStore
import SluiceSystem

/// An expectation and its time limits.
package struct ExpectRequest: Hashable, Sendable {
    package var expectation: Expectation
    /// How long it may take until it holds; nil asks for this moment alone.
    package var withinMilliseconds: Int64?
    /// Whether it must hold all that time.
    package var isThroughout = false
    /// Attempts that ended before do not count as having run; nil counts all that the journal has.
    package var since: Since?

    package enum Since: Hashable, Sendable {
        case moment(Moment)
        case checkpoint(String)
    }

    /// Creates an expectation that must hold now.
    package init(_ expectation: Expectation) { self.expectation = expectation }

    /// Reads the words of `expect`.
    package init(_ arguments: Arguments) throws(QueueError) {
        try arguments.refuseUnquoted(than: 1)
        let text = try arguments.one("EXPR")
        self.init(try Expectation(text, saved: arguments.savedFilters))
        withinMilliseconds = try arguments.milliseconds("--within")
        isThroughout = arguments.has("--throughout")
        guard !isThroughout || withinMilliseconds != nil else {
            throw .usage("--throughout needs --within, how long", of: arguments.command)
        }
        since = arguments.text("--since").map { text in
            Moment(past: text).map(Since.moment) ?? .checkpoint(text)
        }
    }

    /// The moment of `since`, at a real time.
    func start(in store: any StoreReader, at real: Timestamp) throws -> Timestamp? {
        let name: String
        switch since {
        case nil: return nil
        case .moment(let moment): return moment.time(at: real)
        case .checkpoint(let checkpoint): name = checkpoint
        }
        let known = try store.storeRecord().checkpoints.all
        guard let checkpoint = known.last(where: { $0.name == name }) else {
            let names = known.map { "\"\($0.name)\"" }.joined(separator: ", ")
            throw QueueError(
                .badValue, "--since: there is no checkpoint \"\(name)\"",
                fix: "allowed: \(Arguments.pastForms), or the name of a checkpoint"
                    + (names.isEmpty ? "" : " (\(names))"))
        }
        return checkpoint.at
    }
}

/// Whether an expectation held, and the tasks that prevented it.
public struct ExpectAnswer: Hashable, Sendable {
    package var request: ExpectRequest
    /// Whether it held.
    public var held: Bool
    /// The expected values: all if it held, else the parts that failed.
    public var expected: String
    /// The actual values of these parts.
    public var actual: String
    /// The time spent waiting.
    public var milliseconds: Int64
    /// The tasks in the way with their blockers, a few of them.
    package var why: [TaskLine]
}

extension ExpectAnswer: CustomStringConvertible {
    /// The text for a test failure: expected, actual and why.
    public var description: String {
        let after = milliseconds > 0 ? " after \(DurationText.taken(milliseconds))" : ""
        guard !held else { return "held\(after): \(expected)" }
        let blockers = why.flatMap { line in
            line.blockers.prefix(1).map { "\(line.name) \(line.display.rawValue): \($0.text)" }
        }
        return (["not held\(after): expected \(expected), but \(actual)"] + blockers)
            .joined(separator: "; ")
    }
}

extension Arguments {
    /// A moment that has passed: `10m` is so long ago.
    package func past(_ name: String) throws(QueueError) -> Moment? {
        guard let text = text(name) else { return nil }
        if let moment = Moment(past: text) { return moment }
        throw .badValue(name, text, allowed: Self.pastForms)
    }

    fileprivate static let pastForms =
        "10m for so long ago, or RFC 3339 such as 2026-01-31T14:03:22Z"
}

extension Control {
    /// Checks whether an expectation holds now or within its time. Wakes after commits and at the
    /// moments that the store names. Checks ages and `stuck` every second. Blocks its thread.
    ///
    /// Throws `unknownQueue` if the queue is missing when the time is over. Throws `badFilter` for
    /// a UUID in a store whose tasks have none.
    package func expectBlocking(_ request: ExpectRequest) throws -> ExpectAnswer {
        try expect(request, NoticeGate()) { false }
    }

    /// The asynchronous form, on a separate thread. A cancelled task receives the result so far.
    package func expect(_ request: ExpectRequest) async throws -> ExpectAnswer {
        let (gate, isCancelled) = (NoticeGate(), Protected(false))
        return try await withTaskCancellationHandler {
            try await offPool {
                try expect(request, gate) { isCancelled.withLock { $0 } }
            }
        } onCancel: {
            isCancelled.withLock { $0 = true }
            gate.open()
        }
    }

    private func expect(
        _ request: ExpectRequest, _ gate: NoticeGate, _ isOver: () -> Bool
    ) throws -> ExpectAnswer {
        let real = now()
        let since = try store.readBlocking { try request.start(in: $0, at: real) }
        let began = SystemClock.monotonicNanoseconds()
        let within = request.withinMilliseconds ?? 0
        let deadline = began + UInt64(max(0, within)) * 1_000_000
        let observation = within > 0 ? try store.observe { gate.open() } : nil
        defer { withExtendedLifetime(observation) {} }
        while true {
            let passed = SystemClock.monotonicNanoseconds()
            let isLast = passed >= deadline || isOver()
            do {
                let (answer, wake) = try look(
                    request, since, after: Int64((passed - began) / 1_000_000), isLast: isLast)
                if let answer { return answer }
                let next = wake.map { passed + UInt64($0) * 1_000_000 }
                gate.wait(until: min(deadline, next ?? deadline))
            } catch let error as QueueError
                where error.code == .unknownQueue && !request.isThroughout && !isLast
            {
                // Another process may be about to create the queue.
                gate.wait(until: deadline)
            }
        }
    }

    /// One look: the answer if it is known by now, else in how many milliseconds time alone may
    /// change it.
    private func look(
        _ request: ExpectRequest, _ since: Timestamp?, after milliseconds: Int64, isLast: Bool
    ) throws -> (answer: ExpectAnswer?, wake: Int64?) {
        let (now, signs) = (now(), VitalSigns(of: store))
        return try store.readBlocking { store in
            let reading = try Reading(store, now: now, signs: signs)
            var facts = StoreExpectationFacts(reading: reading, since: since)
            var verdict = try request.expectation.verdict(facts)
            guard isLast || verdict.held != request.isThroughout else {
                let followsTime = request.expectation.checks.contains(where: \.followsTime)
                let next = try reading.nextWake().map { max(1, $0 - now) }
                return (nil, followsTime ? min(1000, next ?? 1000) : next)
            }
            if !verdict.held {
                facts.namesTasks = true
                verdict = try request.expectation.verdict(facts)
            }
            let answer = ExpectAnswer(
                request: request, held: verdict.held, expected: verdict.expected,
                actual: verdict.actual, milliseconds: milliseconds,
                why: try verdict.tasks.map(reading.line))
            return (answer, nil)
        }
    }
}

/// The facts for expectations, read from one snapshot of a store.
struct StoreExpectationFacts: ExpectationFacts {
    let reading: Reading
    /// Attempts that ended before do not count as having run.
    let since: Timestamp?
    /// Whether to list the responsible tasks even if that needs another query.
    var namesTasks = false

    private var store: any StoreReader { reading.store }

    func live(in queue: String, first limit: Int) throws -> LiveTasks {
        let record = try store.requireQueue(queue)
        let counts = try store.counts(queue: record.name)
        let inbox = try store.inbox().tasks[record.name] ?? 0
        let first = try reading.list(
            queue: record.name, sections: [.running, .waiting], limit: limit)
        let lost = try reading.lostTasks(of: record.name, counts)
        return LiveTasks(
            waiting: counts[.waiting] + inbox + lost, running: counts[.running] - lost,
            first: first.map(\.task.id))
    }

    func count(_ filter: TaskFilter, first limit: Int) throws -> CountedTasks {
        let usual: Set<TaskState.Name> = [.running, .waiting, .failed]
        let states = filter.states(usually: usual)
        return try counted(filter, in: states, first: limit)
    }

    func ran(_ filter: TaskFilter, first limit: Int) throws -> CountedTasks {
        var count = 0
        let ready = try reading.ready(filter) ?? filter
        try eachEndedAttempt { attempt in
            if try ready.matches(attempt, reading) { count += 1 }
        }
        guard namesTasks else { return CountedTasks(count: count, first: []) }
        let live = try counted(filter, in: [.running, .waiting], first: limit, isEnough: true)
        return CountedTasks(count: count, first: live.first)
    }

    /// Counts matches. `isEnough` stops the count once the first ones are known.
    private func counted(
        _ filter: TaskFilter, in states: Set<TaskState.Name>, first limit: Int,
        isEnough: Bool = false
    ) throws -> CountedTasks {
        let filter = try reading.ready(filter)
        let names = filter?.names(of: .queue)
        let sections = ListSection.allCases.filter { states.contains($0.state) }
        var found = CountedTasks(count: 0, first: [])
        for queue in try store.queues(.holding(states)).map(\.record)
        where names?.contains(queue.name) ?? true {
            try FilteredQueue(reading, queue, filter).each(in: sections) { task in
                found.count += 1
                if found.first.count < limit { found.first.append(task.id) }
                return isEnough && found.first.count >= limit ? .stop : .goOn
            }
        }
        return found
    }

    /// Every attempt that ended since, the newest first.
    private func eachEndedAttempt(_ take: (AttemptRecord) throws -> Void) throws {
        var query = JournalQuery(limit: 1000, withUndo: false)
        while true {
            let page = try store.journal(query)
            guard let first = page.first else { return }
            var isOlder = since != nil
            for case .attempt(let attempt) in page {
                guard let end = attempt.endedAt, since.map({ end >= $0 }) ?? true else { continue }
                isOlder = false
                try take(attempt)
            }
            // The moments within a page may have any order; across pages they are ordered.
            if isOlder, page.allSatisfy({ LogEntry.journal($0).at < since ?? reading.real }) {
                return
            }
            guard page.count == query.limit else { return }
            query.before = first.sequence
        }
    }

    func task(_ reference: TaskReference) throws -> ExpectedTask? {
        let id: TaskID
        do {
            id = try store.number(of: reference)
        } catch let error as QueueError where error.code == .unknownTask {
            // A folder forgets the names of removed tasks, but their attempts keep the number.
            guard let number = reference.number else { return nil }
            id = number
        }
        if let task = try store.task(id) {
            let display = try reading.line(id).display
            return ExpectedTask(id: id, display: display, attempts: task.attempts)
        }
        let attempts = try store.attempts(of: id)
        guard let last = attempts.last else { return nil }
        return ExpectedTask(
            id: id, display: last.outcome == .success ? .succeeded : nil,
            attempts: attempts.count(where: \.isCounted), isGone: true)
    }

    func payload(of id: TaskID) throws -> [UInt8]? { try store.payload(of: id) }

    func name(_ id: TaskID) throws -> String { try reading.names(of: [id]).name(id) }
}

extension TaskFilter {
    /// Whether an attempt matches by its own fields.
    fileprivate func matches(_ attempt: AttemptRecord, _ reading: Reading) throws -> Bool {
        var task = QueueTask(
            id: attempt.task, queue: attempt.queue, type: attempt.type, position: 0,
            createdAt: attempt.startedAt)
        task.executions = attempt.number
        task.lastError = attempt.error
        let facts = KnownFacts(
            now: reading.now, real: reading.real, display: .succeeded, lastAttempt: attempt,
            uuid: try reading.store.naming?.uuid(of: attempt.task))
        return try matches(task, facts)
    }
}
