package import SluiceModel

/// When tasks waited and ran: bars on one line of real time, at most `limit` tasks.
package struct TaskTimeline: Hashable, Sendable {
    /// Which tasks it has.
    package enum Scope: Hashable, Sendable {
        /// The running tasks of a queue, its last attempted ones, and the next ones.
        case queue(String, since: Timestamp? = nil)
        /// The tasks of a run: 0 is the newest run, 1 the one before.
        case run(String, back: Int)
        /// The tasks of a group.
        case group(String, queue: String)
        /// These.
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

    /// Which tasks it has.
    package let scope: Scope
    /// The tasks or attempts by their begin; tasks without an attempt come last.
    package private(set) var rows: [TimelineRow]
    /// Whether there are more tasks than it has.
    package var isCut: Bool
    /// When its run ended; nil for an open run and for other scopes.
    package var runEnded: Timestamp?
    /// The moment of the look.
    package let at: Timestamp

    /// A timeline of some rows.
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

    /// A slot with the attempts that ran in it, the oldest first.
    init(_ lane: Lane, _ attempts: [AttemptRecord]) {
        key = Key(task: 0, attempt: nil, lane: lane)
        let last = attempts.last
        (queue, type) = (last?.queue ?? "", last?.type ?? "")
        state = last.map { $0.outcome == nil } ?? false ? .running : nil
        bars = attempts.map { attempt in
            var bar = TimelineBar(attempt)
            (bar.task, bar.type) = (attempt.task, attempt.type)
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
        /// A wait for a place.
        case waits

        /// Whether a worker had the task.
        package var isWork: Bool {
            switch self {
            case .ran, .failed, .stopped, .running: true
            case .timed, .held, .waits: false
            }
        }
    }
    package let kind: Kind
    /// Its beginning.
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

    /// The bar of an attempt.
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
