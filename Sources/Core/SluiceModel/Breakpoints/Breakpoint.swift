/// A condition for stopping queues: a filter on the task's own fields, and a moment of its life
/// (G1).
package struct Breakpoint: Hashable, Sendable {
    /// When the filter applies to a task.
    package enum Moment: String, Hashable, Sendable, CaseIterable {
        /// In the commit that would give the task to a runner.
        case before
        /// In the commit that settles an execution of it.
        case after
        /// The same, where the execution failed.
        case onFailure
    }
    /// Its number in the store, which no other one gets.
    package var number: Int64
    /// The matching tasks; saved filters are expanded.
    package let filter: TaskFilter
    /// When the filter applies to them.
    package var moment: Moment
    /// The match that stops first; nil for the first.
    package var atHit: Int?
    /// The number of stops after which it is spent; `nil` for no limit.
    package var times: Int?
    /// When it expires, in real time; `nil` for never.
    package var until: Timestamp?
    /// Whether it only writes a line and stops nothing.
    package var isLog = false
    /// The share of failures from which it stops; nil for every match.
    package var limit: FailureLimit?
    /// The last time when the share was reached.
    package var firing: FailureLimit.Firing?
    package var by: String
    /// The attached process with which it ends; nil for one that is the store's.
    package var owner: ProcessID?
    /// How many tasks matched so far.
    package var hits = 0
    /// The tasks that it stopped at, or that matched it when another one stopped: it lets each of
    /// them start once.
    package var passes: [TaskID] = []

    /// A breakpoint without a match so far. Throws `badFilter` for a filter on other than the
    /// task's own data.
    package init(
        number: Int64, filter: TaskFilter, moment: Moment = .before, by: String
    ) throws(QueueError) {
        self.number = number
        self.filter = filter.withoutNames
        self.moment = moment
        self.by = by
        try self.filter.checkForBreakpoint(moment)
    }
}

extension Breakpoint {
    /// How many of its matches stopped something, or would have but for `--log`.
    package var stops: Int { max(0, hits - ((atHit ?? 1) - 1)) }

    /// Whether it has stopped as often as it was to.
    package var isSpent: Bool { times.map { stops >= $0 } ?? false }

    /// Whether its own time is over.
    package func isOver(at now: Timestamp) -> Bool { until.map { $0 <= now } ?? false }

    /// Whether it applies at `now`.
    package func isActive(at now: Timestamp) -> Bool { !isSpent && !isOver(at: now) }

    package var asksPayload: Bool { filter.expression.terms.contains(where: \.asksPayload) }

    /// `guard 3` or `breakpoint 3`.
    package var name: String { "\(limit == nil ? "breakpoint" : "guard") \(number)" }

    /// Counts one match; true if it stops the queue.
    package mutating func count() -> Bool {
        hits += 1
        return stops > 0
    }

    /// How the words of a command name the moment.
    package static func words(of moment: Moment) -> String {
        switch moment {
        case .before: "before"
        case .after: "after"
        case .onFailure: "on failure"
        }
    }
}

package struct Breakpoints: Hashable, Sendable {
    /// The last assigned number; 0 before the first.
    package var last: Int64 = 0
    private var listed = BreakpointList.none

    package init() {}

    /// The breakpoints, by number.
    package var all: [Breakpoint] {
        get { listed.all }
        set { listed = BreakpointList(newValue) }
    }

    package var isEmpty: Bool { listed.all.isEmpty }

    package subscript(number: Int64) -> Breakpoint? { all.first { $0.number == number } }

    package func isAsked(_ moments: [Breakpoint.Moment]) -> Bool {
        moments.contains { !listed[$0].places.isEmpty }
    }

    package func asksPayload(_ moments: [Breakpoint.Moment]) -> Bool {
        moments.contains { listed[$0].asksPayload }
    }

    package func letsPass(_ task: TaskID) -> Bool { listed.passes.contains(task) }

    /// Tests a task against the breakpoints of some moments and counts the matches. `rate` gives
    /// the failed attempts of the task's queue. Returns all matches, the ones that stop and the
    /// ones that only log.
    package mutating func meet(
        _ task: QueueTask, _ moments: [Breakpoint.Moment], _ facts: some FilterFacts,
        rate: (FailureLimit, FailureLimit.Firing?) throws -> FailureLimit.Rate? = { _, _ in nil }
    ) throws -> Meeting {
        var meeting = Meeting()
        guard isAsked(moments) else { return meeting }
        let places = try listed.places(of: task, moments, facts)
        guard !places.isEmpty else { return meeting }
        var counted = all
        for place in places {
            if let limit = counted[place].limit {
                guard let rate = try rate(limit, counted[place].firing),
                    limit.isReached(by: rate)
                else { continue }
                counted[place].firing = FailureLimit.Firing(at: facts.real, rate: rate)
            }
            meeting.matched.append(counted[place].number)
            guard counted[place].count() else { continue }
            if counted[place].isLog {
                meeting.logged.append(counted[place])
            } else {
                meeting.stopping.append(counted[place])
            }
        }
        all = counted
        return meeting
    }

    /// Lets a task pass some breakpoints once.
    package mutating func letPass(_ task: TaskID, at numbers: [Int64]) {
        var passed = all
        for place in passed.indices where numbers.contains(passed[place].number) {
            passed[place].passes.append(task)
        }
        all = passed
    }

    /// A task that they let by started.
    package mutating func forget(pass task: TaskID) {
        var left = all
        for place in left.indices { left[place].passes.removeAll { $0 == task } }
        all = left
    }

    /// The result of testing a task.
    package struct Meeting: Hashable, Sendable {
        package var matched: [Int64] = []
        /// The matches that stop the queue, with updated counts.
        package var stopping: [Breakpoint] = []
        /// The matches that only log.
        package var logged: [Breakpoint] = []
    }
}

/// Breakpoints with an index derived from them.
private final class BreakpointList: Hashable, Sendable {
    let all: [Breakpoint]
    let passes: Set<TaskID>
    private let before: AtMoment
    private let after: AtMoment
    private let onFailure: AtMoment

    static let none = BreakpointList([])

    /// The breakpoints of one moment, indexed by the demands of their filters.
    struct AtMoment: Sendable {
        /// Their indices among all breakpoints.
        let places: [Int]
        let asksPayload: Bool
        /// Their filter expressions, in the order of `places`, and the index of possible matches.
        let plans: [TaskFilter.Expression]
        let index: FilterIndex
        /// Until when each is active.
        let ends: [Timestamp]

        init(_ moment: Breakpoint.Moment, of all: [Breakpoint]) {
            places = all.indices.filter { all[$0].moment == moment }
            asksPayload = places.contains { all[$0].asksPayload }
            plans = places.map { all[$0].filter.plan }
            ends = places.map {
                all[$0].isSpent
                    ? .init(milliseconds: .min) : all[$0].until ?? .init(milliseconds: .max)
            }
            index = FilterIndex(places.map { all[$0].filter })
        }
    }

    init(_ all: [Breakpoint]) {
        self.all = all
        passes = Set(all.flatMap(\.passes))
        before = AtMoment(.before, of: all)
        after = AtMoment(.after, of: all)
        onFailure = AtMoment(.onFailure, of: all)
    }

    subscript(moment: Breakpoint.Moment) -> AtMoment {
        switch moment {
        case .before: before
        case .after: after
        case .onFailure: onFailure
        }
    }

    /// The places of matching breakpoints of some moments, in order.
    func places(
        of task: QueueTask, _ moments: [Breakpoint.Moment], _ facts: some FilterFacts
    ) throws -> [Int] {
        var question = FilterQuestion(of: task, facts)
        var met: [Int] = []
        for moment in moments {
            let asked = self[moment]
            for index in try asked.index.places(of: task, facts)
            where try facts.real < asked.ends[index] && question.holds(asked.plans[index]) {
                let place = asked.places[index]
                if !all[place].passes.contains(task.id) { met.append(place) }
            }
        }
        return moments.count > 1 ? met.sorted() : met
    }

    static func == (left: BreakpointList, right: BreakpointList) -> Bool {
        left === right || left.all == right.all
    }

    func hash(into hasher: inout Hasher) { hasher.combine(all) }
}

/// An entry of the pause by breakpoints: the breakpoint that stopped a queue, and the task.
package struct BreakpointHit: Hashable, Sendable {
    /// The breakpoint's number.
    package var breakpoint: Int64
    package var match: Int
    package var moment: Breakpoint.Moment
    package var task: TaskID
    /// Its type, since it may be gone.
    package var type: String
    /// When it stopped, in real time; nil where an older version wrote the entry.
    package var at: Timestamp?
    /// When the breakpoint expires, and this entry too.
    package var until: Timestamp?
    /// Whether a step or a run has gone on from here: the queue stays stopped, the next step goes
    /// by the order.
    package var isPassed = false

    /// The rate of failures that a guard saw; nil for another breakpoint.
    package var note: String?

    /// `breakpoint 3` or `guard 3`.
    package var name: String { "\(note == nil ? "breakpoint" : "guard") \(breakpoint)" }

    /// A breakpoint that stopped at a task, then in real time.
    package init(_ breakpoint: Breakpoint, at task: QueueTask, _ at: Timestamp? = nil) {
        self.at = at
        self.breakpoint = breakpoint.number
        match = breakpoint.hits
        moment = breakpoint.moment
        until = breakpoint.until
        (self.task, type) = (task.id, task.type)
        guard let limit = breakpoint.limit, let firing = breakpoint.firing else { return }
        until = limit.pauseMilliseconds.map { firing.at + $0 } ?? until
        note = "\(firing.rate.failed) of \(firing.rate.attempts) attempts failed"
    }

    /// An entry with all its parts.
    package init(
        breakpoint: Int64, match: Int, moment: Breakpoint.Moment, task: TaskID, type: String,
        at: Timestamp? = nil, until: Timestamp?, isPassed: Bool, note: String? = nil
    ) {
        (self.breakpoint, self.match, self.moment) = (breakpoint, match, moment)
        (self.task, self.type, self.at) = (task, type, at)
        (self.until, self.isPassed, self.note) = (until, isPassed, note)
    }

    /// The place of the stop in words.
    package var place: String { note ?? "\(briefPlace) \(type)" }

    /// The same without the task's type.
    package var briefPlace: String {
        switch moment {
        case .before: "before #\(task)"
        case .after: "after #\(task)"
        case .onFailure: note ?? "after the failure of #\(task)"
        }
    }

    /// Whether both are the same stop, regardless of later progress.
    package func isSame(as other: BreakpointHit) -> Bool {
        breakpoint == other.breakpoint && match == other.match
    }
}

extension Pause {
    /// The pause with these entries; `nil` without entries.
    package init?(hits: [BreakpointHit], since: Timestamp) {
        guard let last = hits.last else { return nil }
        // Breakpoints of one stop are all before its task or all after it.
        let numbers = Set(
            hits.filter {
                $0.task == last.task && ($0.moment == .before) == (last.moment == .before)
            }.map(\.breakpoint)
        ).sorted().map { "\($0)" }
        let ends = hits.map(\.until)
        let word = hits.allSatisfy { $0.note != nil } ? "guard" : "breakpoint"
        self.init(
            cause: .breakpoint,
            by: "\(word)\(numbers.count == 1 ? "" : "s") \(WordList.and(numbers))",
            reason: last.place, since: since,
            until: ends.contains(nil) ? nil : ends.compactMap { $0 }.max())
        self.hits = hits
    }

    /// The colon before a guard's reason. It is empty for a breakpoint.
    package var stopSign: String { hits.last?.note == nil ? "" : ":" }

    /// The time of the last entry, which identifies the pause.
    package var stoppedAt: Timestamp { hits.last?.at ?? since }

    /// The same with other entries; nil if none is left, and for any other pause as it is.
    package func with(hits: [BreakpointHit]) -> Pause? {
        guard cause == .breakpoint else { return self }
        return Pause(hits: hits, since: since)
    }
}

extension QueueRecord {
    /// The entries of its pause by breakpoints that hold at a real moment.
    package func hits(at real: Timestamp) -> [BreakpointHit] {
        activePauses(at: real).flatMap(\.hits).filter { hit in
            hit.until.map { $0 > real } ?? true
        }
    }

    /// The task before which it stopped, and that a step takes first.
    package func stoppedBefore(at real: Timestamp) -> BreakpointHit? {
        hits(at: real).last { $0.moment == .before && !$0.isPassed }
    }
}
