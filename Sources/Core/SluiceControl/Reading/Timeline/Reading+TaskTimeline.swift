package import SluiceModel
import SluiceStore

extension Reading {
    /// Lines of the journal in one read, and the number of reads.
    private static let linesRead = 400
    private static let pagesRead = 10
    /// The next tasks of a queue that a picture shows after the attempted ones.
    private static let nextRead = 20

    /// When the tasks of a scope waited and ran; throws if there is no such queue, run, group or
    /// task. `seen` has executions that a person's looks saw end, in a copy of another system.
    package func taskTimeline(
        _ scope: TaskTimeline.Scope, seen: [AttemptRecord] = []
    ) throws -> TaskTimeline {
        switch scope {
        case .queue(let name, let since):
            let queue = try store.requireQueue(name)
            var found = try ended(in: name, since: since)
            let current = try current(of: queue, room: TaskTimeline.limit - found.order.count)
            found.isCut = found.isCut || current.isCut
            found.add(current.tasks)
            return try timeline(scope, found)
        case .run(let name, let back): return try run(back, of: store.requireQueue(name), scope)
        case .group(let group, let queue):
            let tasks = try tasks(ofGroup: group, in: store.requireQueue(queue))
            return try whole(scope, tasks)
        case .tasks(let ids): return try whole(scope, try store.tasks(Array(Set(ids)).sorted()))
        case .attempts(let id): return try attemptRows(of: store.requireTask(id), scope)
        case .workers(let last): return try workerTimeline(last: last, seen: seen)
        }
    }

    private func whole(
        _ scope: TaskTimeline.Scope, _ tasks: [QueueTask]
    ) throws -> TaskTimeline {
        var found = FoundAttempts(isCut: tasks.count > TaskTimeline.limit)
        for task in tasks.prefix(TaskTimeline.limit) {
            found.add([task])
            for attempt in try store.attempts(of: task.id) { found.add(attempt) }
        }
        return try timeline(scope, found)
    }

    /// When the tasks of these attempts of a queue waited and ran. `waiting` has the tasks that
    /// waited at the first begin and no longer exist.
    func timeline(
        of attempts: [AttemptRecord], in queue: String, waiting: Set<TaskID>
    ) throws -> TaskTimeline {
        var found = FoundAttempts()
        for attempt in attempts {
            if found.hasRoom(for: attempt.task) { found.add(attempt) } else { found.isCut = true }
        }
        return try timeline(.queue(queue), found, isOfRun: true, waiting: waiting)
    }

    private func attemptRows(
        of task: QueueTask, _ scope: TaskTimeline.Scope
    ) throws -> TaskTimeline {
        let attempts = try store.attempts(of: task.id).suffix(TaskTimeline.limit)
        var row = TimelineRow(task.id, queue: task.queue, type: task.type, state: task.stateName)
        row.add(Array(attempts), surroundings(of: task, starts: []))
        var (rows, waits): ([TimelineRow], [TimelineBar]) = ([], [])
        for bar in row.bars {
            waits.append(bar)
            guard bar.kind.isWork || bar == row.bars.last else { continue }
            var part = TimelineRow(
                task.id, attempt: bar.attempt, queue: task.queue, type: task.type,
                state: task.stateName)
            for bar in waits { part.add(bar) }
            rows.append(part)
            waits = []
        }
        let isCut = task.executions > attempts.count
        return TaskTimeline(scope, rows, at: real, isCut: isCut)
    }

    /// The tasks of a group, at most one more than the limit.
    private func tasks(ofGroup group: String, in queue: QueueRecord) throws -> [QueueTask] {
        var tasks: [QueueTask] = []
        for state in StateName.allCases {
            let room = TaskTimeline.limit + 1 - tasks.count
            guard room > 0 else { break }
            var query = TaskQuery(queue: queue.name, state: state, limit: room)
            query.group = group
            tasks += try store.tasks(matching: query)
        }
        guard !tasks.isEmpty else {
            throw QueueError.notLegal(
                "\(queue.name) has no group \"\(group)\"",
                fix: "sluice groups \(ShellWord.quoted(queue.name)) lists them")
        }
        return tasks.sorted { $0.position < $1.position }
    }

    /// The running tasks of a queue, and the next waiting ones.
    private func current(
        of queue: QueueRecord, room: Int
    ) throws -> (tasks: [QueueTask], isCut: Bool) {
        let running = try store.tasks(
            matching: TaskQuery(queue: queue.name, state: .running, limit: TaskTimeline.limit))
        let limit = min(Self.nextRead, max(0, room - running.count))
        let waiting =
            limit == 0
            ? []
            : try store.tasks(
                matching: TaskQuery(queue: queue.name, state: .waiting, limit: limit))
        let count = try store.counts(queue: queue.name)[.waiting]
        return (running + waiting, waiting.count < count)
    }

    /// The attempts of a queue that ended last.
    private func ended(in queue: String, since: Timestamp?) throws -> FoundAttempts {
        var found = FoundAttempts()
        found.isCut = try !eachEntry(of: queue) { entry in
            guard case .attempt(let attempt) = entry else { return true }
            if let since, attempt.endedAt ?? attempt.startedAt < since { return false }
            guard found.hasRoom(for: attempt.task) else {
                found.isFull = true
                return false
            }
            found.add(attempt)
            return true
        }
        // A requested start is no cut.
        if since != nil, !found.isFull { found.isCut = false }
        return found
    }

    /// Goes through the journal of a queue from its end for as long as `body` wants, to a bound;
    /// false if it did not come to the beginning.
    private func eachEntry(
        of queue: String, _ body: (JournalEntry) throws -> Bool
    ) throws -> Bool {
        var query = JournalQuery(limit: Self.linesRead, withUndo: false)
        query.queue = queue
        for _ in 0..<Self.pagesRead {
            let page = try store.journal(query)
            for entry in page.reversed() {
                guard try body(entry) else { return false }
            }
            guard page.count == query.limit, let first = page.first else { return true }
            query.before = first.sequence
        }
        return false
    }

    /// The tasks of a run: the attempts between two lines about the end of one.
    private func run(
        _ back: Int, of queue: QueueRecord, _ scope: TaskTimeline.Scope
    ) throws -> TaskTimeline {
        var found = FoundAttempts()
        var left = queue.run == nil ? back + 1 : back
        var ended: Timestamp?
        let (isOpen, first) = (left == 0, left)
        let isWhole = try eachEntry(of: queue.name) { entry in
            if case .event(let event) = entry, event.attemptsOfEndedRun != nil {
                left -= 1
                if left == 0 { ended = event.at }
                return left >= 0
            }
            guard left == 0, case .attempt(let attempt) = entry else { return true }
            guard found.hasRoom(for: attempt.task) else {
                found.isFull = true
                return false
            }
            found.add(attempt)
            return true
        }
        guard left <= 0 else { throw noRun(back, of: queue, hasRuns: left < first) }
        found.isCut = found.isFull || !isWhole && left == 0
        if isOpen {
            let current = try current(of: queue, room: TaskTimeline.limit - found.order.count)
            found.add(current.tasks)
            found.isCut = found.isCut || current.isCut
        }
        var timeline = try timeline(scope, found, isOfRun: true)
        timeline.runEnded = ended
        return timeline
    }

    private func noRun(_ back: Int, of queue: QueueRecord, hasRuns: Bool) -> QueueError {
        if !hasRuns, queue.settings.start == .continuous {
            return .notLegal(
                "\(queue.name) works continuously and has no runs",
                fix: "leave out --run for its newest tasks")
        }
        let words = back == 0 ? "no run of \(queue.name)" : "no run \(back) before the newest"
        return .notLegal(
            "the newest \(Self.linesRead * Self.pagesRead) lines of the log have \(words)",
            fix: "--run 0 is the newest run, --run 1 the one before")
    }

    private func timeline(
        _ scope: TaskTimeline.Scope, _ found: FoundAttempts, isOfRun: Bool = false,
        waiting: Set<TaskID> = []
    ) throws -> TaskTimeline {
        var known = found.tasks
        for task in try store.tasks(found.order.filter { known[$0] == nil }) {
            known[task.id] = task
        }
        let starts = known.values.filter { $0.groupStart != nil }
        let began = found.attempts.values.joined().map(\.startedAt).min()
        let rows = found.order.compactMap { id -> TimelineRow? in
            let attempts = (found.attempts[id] ?? []).sorted { $0.number < $1.number }
            guard let task = known[id] else {
                guard let first = attempts.first else { return nil }
                var row = TimelineRow(id, queue: first.queue, type: first.type, state: nil)
                var place = TimelineRow.Surroundings()
                if waiting.contains(id) { place.arrived = began }
                row.add(attempts, place)
                return row
            }
            var place = surroundings(of: task, starts: starts)
            // A run has no time before it.
            if isOfRun, let came = place.arrived { place.arrived = max(came, began ?? came) }
            var row = TimelineRow(id, queue: task.queue, type: task.type, state: task.stateName)
            row.add(attempts + lease(of: task, after: attempts), place)
            return row
        }
        return TaskTimeline(scope, rows, at: real, isCut: found.isCut)
    }

    /// The attempt in progress, which the journal does not have yet.
    private func lease(of task: QueueTask, after attempts: [AttemptRecord]) -> [AttemptRecord] {
        guard let lease = task.running, attempts.last?.number != lease.attempt else { return [] }
        return [AttemptRecord(task: task, lease)]
    }

    private func surroundings(
        of task: QueueTask, starts: [QueueTask]
    ) -> TimelineRow.Surroundings {
        var place = TimelineRow.Surroundings()
        if task.createdAt != .unknown { place.arrived = inRealTime(task).createdAt }
        let holders = starts.filter { start in
            start.id != task.id && start.queue == task.queue && start.position < task.position
                && start.groupStart.map(task.groupMembers.contains) ?? false
        }
        place.heldUntil = holders.compactMap(\.endedAt).max()
        guard let waiting = task.waiting else { return place }
        let isTimed = waiting.timer.map { $0.until > now } ?? false
        let isKept = task.isHeld || waiting.skip != nil || waiting.parking != nil
        place.waits = isTimed ? .timed : isKept ? .held : .waits
        if !isTimed { place.due = waiting.timer.flatMap { time.moment(of: $0.until) } }
        return place
    }
}

/// Attempts by their tasks, and tasks without one.
private struct FoundAttempts {
    private(set) var attempts: [TaskID: [AttemptRecord]] = [:]
    private(set) var tasks: [TaskID: QueueTask] = [:]
    private(set) var order: [TaskID] = []
    /// Whether there is more than was read.
    var isCut = false
    /// Whether there was no room for another task.
    var isFull = false

    init(isCut: Bool = false) { self.isCut = isCut }

    func hasRoom(for task: TaskID) -> Bool {
        attempts[task] != nil || order.count < TaskTimeline.limit
    }

    mutating func add(_ attempt: AttemptRecord) {
        if attempts[attempt.task] == nil, tasks[attempt.task] == nil { order.append(attempt.task) }
        attempts[attempt.task, default: []].append(attempt)
    }

    mutating func add(_ more: [QueueTask]) {
        for task in more {
            if attempts[task.id] == nil, tasks[task.id] == nil { order.append(task.id) }
            tasks[task.id] = task
        }
    }
}

/// The attempts in the slots of workers.
extension Reading {
    /// The newest lines of the log that a picture of workers reads.
    private static let laneLines = 1000

    /// The attempts of the attached workers that run, or that ended in the last milliseconds.
    func workerTimeline(last: Int64, seen: [AttemptRecord]) throws -> TaskTimeline {
        let entries = try store.journal(JournalQuery(limit: Self.laneLines, withUndo: false))
        var ended: [ProcessID: [AttemptRecord]] = [:]
        var oldest = real
        for case .attempt(let attempt) in entries {
            let end = attempt.endedAt ?? attempt.startedAt
            oldest = min(oldest, end)
            if end >= real + -last { ended[attempt.runner, default: []].append(attempt) }
        }
        for attempt in seen where attempt.endedAt.map({ $0 >= real + -last }) ?? false {
            ended[attempt.runner, default: []].append(attempt)
        }
        let isCut = entries.count == Self.laneLines && oldest > real + -last
        let runners = try processes().filter { $0.role == .runner }
        let rows = try runners.flatMap { runner in
            let leases = try store.tasksRun(by: runner.id).compactMap { task in
                task.running.map { AttemptRecord(task: task, $0) }
            }
            return TimelineRow.lanes(
                of: runner, (ended[runner.id] ?? []) + leases, areSeen: !seen.isEmpty)
        }
        return TaskTimeline(
            .workers(last: last), Array(rows.prefix(TaskTimeline.limit)), at: real,
            isCut: isCut || rows.count > TaskTimeline.limit)
    }
}

extension TimelineRow {
    /// A row for each slot of a worker. The store does not keep the slot of an attempt: each takes
    /// the first one that was free when it began.
    fileprivate static func lanes(
        of process: ProcessRecord, _ attempts: [AttemptRecord], areSeen: Bool
    ) -> [TimelineRow] {
        var lanes: [[AttemptRecord]] = Array(repeating: [], count: max(1, process.slots))
        func freeAt(_ lane: [AttemptRecord]) -> Timestamp {
            guard let last = lane.last else { return Timestamp(milliseconds: .min) }
            return last.endedAt ?? Timestamp(milliseconds: .max)
        }
        for attempt in attempts.sorted(by: { ($0.startedAt, $0.task) < ($1.startedAt, $1.task) }) {
            let free = lanes.firstIndex { freeAt($0) <= attempt.startedAt }
            // Clocks differ. Use the slot with the earliest end.
            let next = lanes.indices.min { freeAt(lanes[$0]) < freeAt(lanes[$1]) }
            guard let place = free ?? next else { continue }
            lanes[place].append(attempt)
        }
        return lanes.enumerated().map { place, attempts in
            TimelineRow(
                Lane(process: process.id, pid: process.pid, slot: place + 1), attempts,
                areSeen: areSeen)
        }
    }
}
