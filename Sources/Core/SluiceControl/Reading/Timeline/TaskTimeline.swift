package import SluiceModel

/// When tasks waited and ran: bars on one line of real time, at most `limit` tasks.
package struct TaskTimeline: Hashable, Sendable {
    package enum Scope: Hashable, Sendable {
        /// The running tasks of a queue, its last attempted ones, and the next ones.
        case queue(String, since: Timestamp? = nil)
        /// The tasks of a run: 0 is the newest run, 1 the one before.
        case run(String, back: Int)
        case group(String, queue: String)
        case tasks([TaskID])
        /// The attempts of one task, with a row for each.
        case attempts(TaskID)
        /// The attempts of the last milliseconds, with a row for each slot of each worker.
        case workers(last: Int64)
    }

    /// How far back the slots of workers go unless a person says so.
    package static let usualLast: Int64 = 600_000

    /// More tasks are not read.
    package static let limit = 200

    package let scope: Scope
    /// The tasks or attempts by their begin; tasks without an attempt come last.
    package private(set) var rows: [TimelineRow]
    /// Whether there are more tasks than it has.
    package var isCut: Bool
    /// When its run ended; nil for an open run and for other scopes.
    package var runEnded: Timestamp?
    /// Since when looks see another system's workers; nil where the store keeps the attempts.
    package var seenSince: Timestamp?
    /// The moment of the look.
    package let at: Timestamp

    package init(_ scope: Scope, _ rows: [TimelineRow], at now: Timestamp, isCut: Bool = false) {
        (self.scope, self.at, self.isCut) = (scope, now, isCut)
        if case .workers = scope {
            self.rows = rows
            return
        }
        self.rows = rows.enumerated().sorted { left, right in
            let (first, second) = (left.element.began, right.element.began)
            guard let first, let second else {
                return first == nil && second == nil ? left.offset < right.offset : first != nil
            }
            return (first, left.offset) < (second, right.offset)
        }.map(\.element)
    }

    /// When its first attempt began; without an attempt when its first task came.
    package var from: Timestamp {
        rows.compactMap(\.began).min() ?? rows.compactMap { $0.bars.first?.from }.min() ?? at
    }

    /// Whether a task waits still.
    package var isOpen: Bool { rows.contains { $0.bars.contains { $0.to == nil } } }

    /// Whether an attempt is in progress.
    package var isRunning: Bool { rows.contains { $0.bars.contains { $0.kind == .running } } }

    /// The end of the last attempt, or the moment of the look if one runs or none exists.
    package var to: Timestamp {
        if isRunning { return max(at, from) }
        let ends = rows.flatMap { $0.bars.filter(\.kind.isWork).compactMap(\.to) }
        return max(from, ends.max() ?? at)
    }
}

/// The bars of a task, or of one of its attempts.
package struct TimelineRow: Hashable, Sendable {
    /// The identity of a row from one look to the next.
    package struct Key: Hashable, Sendable {
        package let task: TaskID
        /// The number of the attempt, where each has a row.
        package let attempt: Int?
        /// The slot, in a picture with a row for each slot. `task` is 0 then.
        package var lane: Lane?
    }
    /// A slot of a worker.
    package struct Lane: Hashable, Sendable {
        package let process: ProcessID
        package let pid: Int64
        /// From 1.
        package let slot: Int
    }
    /// The task, and the attempt where each has a row.
    package let key: Key
    package let queue: String
    package let type: String
    /// The state of the task; nil for a forgotten task.
    package let state: StateName?
    /// The bars in the order of time.
    package private(set) var bars: [TimelineBar] = []

    /// The number of the task; of a slot the last one.
    package var task: TaskID { bars.last?.task ?? key.task }

    /// A row without bars.
    init(_ task: TaskID, attempt: Int? = nil, queue: String, type: String, state: StateName?) {
        key = Key(task: task, attempt: attempt)
        (self.queue, self.type, self.state) = (queue, type, state)
    }

    /// A slot with the attempts that ran in it, the oldest first. Looks saw an end, and no success.
    init(_ lane: Lane, _ attempts: [AttemptRecord], areSeen: Bool) {
        key = Key(task: 0, attempt: nil, lane: lane)
        let last = attempts.last
        (queue, type) = (last?.queue ?? "", last?.type ?? "")
        state = last.map { $0.outcome == nil } ?? false ? .running : nil
        bars = attempts.map { attempt in
            var bar = TimelineBar(attempt)
            (bar.task, bar.type) = (attempt.task, attempt.type)
            if areSeen, let end = bar.to {
                bar.words = [
                    "\(bar.kind == .failed ? "failed" : "ended") after "
                        + "~\(DurationText.taken(end - bar.from))",
                    attempt.error.map(ErrorLine.cause(of:)),
                ].compactMap(\.self).joined(separator: ": ")
            }
            return bar
        }
    }

    mutating func add(_ bar: TimelineBar) { bars.append(bar) }

    /// When its first attempt began.
    package var began: Timestamp? { bars.first { $0.kind.isWork }?.from }

    /// The row without the wait that follows its last attempt.
    var untilItsLastAttempt: TimelineRow {
        var row = self
        if let last = bars.lastIndex(where: \.kind.isWork) { row.bars = Array(bars[...last]) }
        return row
    }

    /// How long it ran.
    package func worked(at now: Timestamp) -> Int64 {
        bars.filter(\.kind.isWork).reduce(0) { $0 + $1.milliseconds(at: now) }
    }
}

/// A part of the time of a task.
package struct TimelineBar: Hashable, Sendable {
    /// The kind of a bar, as JSON spells it.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// An attempt that succeeded.
        case ran
        /// An attempt that counts as failed.
        case failed
        /// An attempt that was stopped, cancelled, offline or lost.
        case stopped
        /// An attempt in progress.
        case running
        /// A wait for a retry, or for the time of the task.
        case timed
        /// A wait for the start of a group, or for a person.
        case held
        case waits

        package var isWork: Bool {
            switch self {
            case .ran, .failed, .stopped, .running: true
            case .timed, .held, .waits: false
            }
        }
    }
    package let kind: Kind
    package let from: Timestamp
    /// Its end; nil where it grows.
    package let to: Timestamp?
    /// The attempt, if it is one.
    package var attempt: Int?
    /// The words for the end of the attempt.
    package var words: String?
    /// Its task and type, in a row with attempts of several.
    package var task: TaskID?
    package var type: String?

    init(_ kind: Kind, _ from: Timestamp, _ to: Timestamp?) {
        // A clock that went back gives an end before the beginning.
        (self.kind, self.from, self.to) = (kind, from, to.map { max(from, $0) })
    }

    init(_ attempt: AttemptRecord) {
        let kind: Kind =
            switch attempt.outcome {
            case nil: .running
            case .success: .ran
            default: attempt.isCounted ? .failed : .stopped
            }
        let isOpen = attempt.outcome == nil
        self.init(
            kind, attempt.startedAt, isOpen ? nil : attempt.endedAt ?? attempt.startedAt)
        self.attempt = attempt.number
        words = AttemptText(attempt).sentence
    }

    /// How long it is at a moment.
    package func milliseconds(at now: Timestamp) -> Int64 { max(0, (to ?? now) - from) }
}

/// The causes of waits, and the tasks that decided the whole length.
extension TaskTimeline {
    /// A task that ran while another one waited.
    package struct Earlier: Hashable, Sendable {
        package let task: TaskID
        package let type: String
        /// How long it ran in that time.
        package let milliseconds: Int64
    }

    package struct Wait: Hashable, Sendable {
        package var turn: Int64 = 0
        /// How long a start or a person held it.
        package var held: Int64 = 0
        package var timed: Int64 = 0
        /// The tasks of its queue that ran while it waited for its turn, the longest first.
        package var earlier: [Earlier] = []
        package var whole: Int64 { turn + held + timed }
    }

    package func wait(of row: TimelineRow) -> Wait {
        var wait = Wait()
        var ran: [TaskID: Earlier] = [:]
        for bar in row.bars {
            let length = bar.milliseconds(at: at)
            switch bar.kind {
            case .waits:
                wait.turn += length
                for found in overlaps(with: bar, of: row) {
                    let sum = (ran[found.task]?.milliseconds ?? 0) + found.milliseconds
                    ran[found.task] = Earlier(
                        task: found.task, type: found.type, milliseconds: sum)
                }
            case .held: wait.held += length
            case .timed: wait.timed += length
            case .ran, .failed, .stopped, .running: break
            }
        }
        wait.earlier = ran.values.sorted {
            ($1.milliseconds, $0.task) < ($0.milliseconds, $1.task)
        }
        return wait
    }

    private func overlaps(with wait: TimelineBar, of row: TimelineRow) -> [Earlier] {
        let end = wait.to ?? at
        return rows.flatMap { other -> [Earlier] in
            guard other.task != row.task, other.queue == row.queue else { return [] }
            return other.bars.filter(\.kind.isWork).compactMap { bar in
                let length = min(end, bar.to ?? at) - max(wait.from, bar.from)
                return length <= 0
                    ? nil : Earlier(task: other.task, type: other.type, milliseconds: length)
            }
        }
    }

    /// The tasks that decided when the last one ended, the first one first: before each is the one
    /// that ended last before it began, if it waited then.
    package var criticalPath: [Earlier] {
        if case .workers = scope { return [] }
        struct Step {
            let row: TimelineRow
            let bar: TimelineBar
            let end: Timestamp
        }
        let steps = rows.flatMap { row in
            row.bars.filter(\.kind.isWork).map { Step(row: row, bar: $0, end: $0.to ?? at) }
        }.sorted { ($0.end, $0.bar.from) < ($1.end, $1.bar.from) }
        var path: [Earlier] = []
        var place = steps.indices.last
        while let current = place {
            let step = steps[current]
            let length = step.bar.milliseconds(at: at)
            if let next = path.last, next.task == step.row.task {
                path[path.count - 1] = Earlier(
                    task: next.task, type: next.type, milliseconds: next.milliseconds + length)
            } else {
                path.append(
                    Earlier(task: step.row.task, type: step.row.type, milliseconds: length))
            }
            let waitedSince = step.row.bars.first?.from ?? step.bar.from
            place = steps[..<current].lastIndex { earlier in
                earlier.end <= step.bar.from && earlier.end >= waitedSince
            }
        }
        return path.reversed()
    }
}

/// From the attempts of a task to its bars.
extension TimelineRow {
    /// How a task waits now, and until when it was held before its first attempt.
    struct Surroundings {
        /// When the task came; nil if that is not known.
        var arrived: Timestamp?
        /// When the starts that held it had ended.
        var heldUntil: Timestamp?
        /// The wait of now; nil for a task that does not wait.
        var waits: TimelineBar.Kind?
        /// When the time of a waiting task came.
        var due: Timestamp?
    }

    /// Adds the attempts, the oldest first, with the waits before, between and after them.
    mutating func add(_ attempts: [AttemptRecord], _ place: Surroundings) {
        var end = (attempts.first?.number ?? 1) == 1 ? place.arrived : nil
        var gap: TimelineBar.Kind? = .waits
        for attempt in attempts {
            if let since = end, let gap, since < attempt.startedAt {
                let isFirst = bars.allSatisfy { !$0.kind.isWork }
                let held = isFirst ? place.heldUntil : nil
                addWait(gap, since, attempt.startedAt, heldUntil: held)
            }
            add(TimelineBar(attempt))
            end = max(end ?? attempt.startedAt, attempt.endedAt ?? attempt.startedAt)
            gap = Self.wait(after: attempt)
        }
        guard let waits = place.waits, var since = end ?? place.arrived else { return }
        if let due = place.due, due > since {
            add(TimelineBar(.timed, since, due))
            since = due
        }
        let isFirst = waits == .waits && bars.allSatisfy { !$0.kind.isWork }
        addWait(waits, since, nil, heldUntil: isFirst ? place.heldUntil : nil)
    }

    private mutating func addWait(
        _ kind: TimelineBar.Kind, _ since: Timestamp, _ until: Timestamp?, heldUntil: Timestamp?
    ) {
        guard let heldUntil, heldUntil > since else { return add(TimelineBar(kind, since, until)) }
        let end = min(heldUntil, until ?? heldUntil)
        add(TimelineBar(.held, since, end))
        if until.map({ end < $0 }) ?? true { add(TimelineBar(kind, end, until)) }
    }

    /// The wait after an attempt; nil for a task that was given up.
    private static func wait(after attempt: AttemptRecord) -> TimelineBar.Kind? {
        switch attempt.outcome {
        case .giveUp, .success: nil
        case .park: .held
        case .retry, .timedOut: attempt.consequence == "given up" ? nil : .timed
        default: .waits
        }
    }
}
