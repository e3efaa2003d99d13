package import SluiceModel

/// How breakpoints come and go (G1). A pause ends with the breakpoints that made it.
extension Mutation {
    /// Adds a breakpoint under the next free number and returns it with that number.
    package func add(_ breakpoint: Breakpoint) throws -> Breakpoint {
        var record = try store.storeRecord()
        var added = breakpoint
        record.breakpoints.last += 1
        added.number = record.breakpoints.last
        record.breakpoints.all.append(added)
        knownBreakpoints = nil
        record.version += 1
        try store.put(record)
        try forgetSpentBreakpoints()
        return added
    }

    /// Restores a breakpoint under its own number unless that number is in use. Returns whether it
    /// did.
    package func restore(_ breakpoint: Breakpoint) throws -> Bool {
        var record = try store.storeRecord()
        guard record.breakpoints[breakpoint.number] == nil, !breakpoint.isOver(at: real) else {
            return false
        }
        record.breakpoints.all.append(breakpoint)
        knownBreakpoints = nil
        record.breakpoints.all.sort { $0.number < $1.number }
        record.version += 1
        try store.put(record)
        return true
    }

    /// Removes breakpoints and their hits in pauses. Returns the removed breakpoints and the queues
    /// that resume.
    @discardableResult
    package func removeBreakpoints(_ numbers: Set<Int64>) throws -> (
        removed: [Breakpoint], resumed: [String]
    ) {
        var record = try store.storeRecord()
        let removed = record.breakpoints.all.filter { numbers.contains($0.number) }
        guard !removed.isEmpty else { return ([], []) }
        record.breakpoints.all.removeAll { numbers.contains($0.number) }
        record.version += 1
        try store.put(record)
        var resumed: [String] = []
        for name in try queuesStopped() {
            try changeHits(in: name) { $0.removeAll { numbers.contains($0.breakpoint) } }
            if try !queue(name).pauses.contains(where: { $0.cause == .breakpoint }) {
                resumed.append(name)
            }
        }
        return (removed, resumed)
    }

    /// Removes the breakpoints that a process set for its own lifetime, after it detached or died.
    func endBreakpoints(of process: ProcessID) throws {
        let own = try store.storeRecord().breakpoints.all.filter { $0.owner == process }
        guard !own.isEmpty else { return }
        try removeBreakpoints(Set(own.map(\.number)))
        for breakpoint in own {
            try store.append([
                JournalEvent(
                    at: real, kind: "breakRemove", queue: nil, task: nil, by: "sluice",
                    text: "\(breakpoint.name) ended with the console of "
                        + breakpoint.by)
            ])
        }
    }

    /// Ends the pause of a queue by breakpoints, and no other; gives its entries.
    @discardableResult
    package func endStop(of name: String) throws -> [Pause] {
        let ended = try queue(name).activePauses(at: now, real: real).filter {
            $0.cause == .breakpoint
        }
        guard !ended.isEmpty else { return [] }
        try changeQueue(name) { $0.pauses.removeAll { $0.cause == .breakpoint } }
        try forgetSpentBreakpoints()
        return ended
    }

    /// Marks every breakpoint hit of a queue as passed. The pause itself remains.
    package func goPastStops(of name: String) throws {
        guard try queue(name).pauses.contains(where: { $0.cause == .breakpoint }) else { return }
        try changeHits(in: name) { hits in
            for index in hits.indices { hits[index].isPassed = true }
        }
    }

    /// Removes expired breakpoints. Also removes breakpoints with no stops left, unless they still
    /// hold a queue.
    package func forgetSpentBreakpoints() throws {
        var record = try store.storeRecord()
        guard record.breakpoints.all.contains(where: { !$0.isActive(at: real) }) else { return }
        let standing = Set(
            try queuesStopped().flatMap { try queue($0).hits(at: real).map(\.breakpoint) })
        let ended = record.breakpoints.all.filter { breakpoint in
            breakpoint.isOver(at: real)
                || breakpoint.isSpent && !standing.contains(breakpoint.number)
        }
        guard !ended.isEmpty else { return }
        record.breakpoints.all.removeAll { ended.contains($0) }
        knownBreakpoints = nil
        record.version += 1
        try store.put(record)
        try recordEnds(of: ended)
    }

    /// Says in the journal of breakpoints that they have ended by themselves, and why.
    func recordEnds(of ended: [Breakpoint]) throws {
        for breakpoint in ended {
            try recordEnd(
                "breakEnd", breakpoint.name,
                breakpoint.isOver(at: real) ? breakpoint.until : nil)
        }
    }

    /// The same of anything that ends; by its time, or else because it is used up.
    func recordEnd(_ kind: String, _ name: String, _ end: Timestamp?) throws {
        let why =
            end.map { "its time was over at \(TimeText.rfc3339($0))" }
            ?? "it was met as often as it was to be"
        try store.append([
            JournalEvent(
                at: real, kind: kind, queue: nil, task: nil, by: "sluice",
                text: "\(name) has ended: \(why)")
        ])
    }

    /// Forgets the breakpoints and the faults that have ended by themselves, each with a line in
    /// the journal.
    package func forgetEnded() throws {
        let record = try store.storeRecord()
        if !record.breakpoints.isEmpty { try forgetSpentBreakpoints() }
        if !record.faults.isEmpty { try forgetEndedFaults() }
    }

    /// The queues that have a pause by breakpoints, as this mutation knows them.
    private func queuesStopped() throws -> [String] {
        try store.queues().map(\.name).filter { name in
            try queue(name).pauses.contains { $0.cause == .breakpoint }
        }
    }
}

/// Checks breakpoints in the commit that starts a task and in the commit that settles it (G1).
/// Costs no query without breakpoints.
extension Mutation {
    /// Whether there is any breakpoint, asked once in a commit.
    private func hasBreakpoints() throws -> Bool {
        if let known = knownBreakpoints { return known }
        let found = try !store.storeRecord().breakpoints.isEmpty
        knownBreakpoints = found
        return found
    }

    /// Whether a breakpoint stops the queue before this task starts. Counts each match, and lets
    /// the task pass when the queue resumes.
    package func stops(before task: QueueTask, payload: [UInt8]? = nil) throws -> Bool {
        guard try hasBreakpoints() else { return false }
        var record = try store.storeRecord()
        let facts = CommitFacts(self, task, payload: payload)
        let meeting = try record.breakpoints.meet(task, [.before], facts)
        guard !meeting.matched.isEmpty else { return false }
        if !meeting.stopping.isEmpty {
            record.breakpoints.letPass(task.id, at: meeting.matched)
        }
        try take(meeting, at: task, in: &record)
        return !meeting.stopping.isEmpty
    }

    /// The facts for breakpoints after a task, read while the task exists. `nil` if no breakpoint
    /// needs them.
    func factsForBreakpoints(at task: QueueTask) throws -> CommitFacts? {
        guard try hasBreakpoints() else { return nil }
        let breakpoints = try store.storeRecord().breakpoints
        let moments: [Breakpoint.Moment] = [.after, .onFailure]
        guard breakpoints.isAsked(moments) else { return nil }
        let asksPayload = breakpoints.asksPayload(moments)
        return CommitFacts(
            self, task, payload: asksPayload ? try store.payload(of: task.id) : [])
    }

    /// Stops the queue after a task if a breakpoint matches.
    func stop(
        behind task: QueueTask, _ attempt: AttemptRecord, _ facts: CommitFacts
    ) throws {
        var record = try store.storeRecord()
        let moments: [Breakpoint.Moment] =
            attempt.outcome?.isFailure == true ? [.after, .onFailure] : [.after]
        let meeting = try record.breakpoints.meet(task, moments, facts) { limit, firing in
            let since = real + -limit.milliseconds
            let counts = try store.endedCounts(.attempts, queue: task.queue, since: since)
            return limit.rate(of: counts, at: real, after: firing)
        }
        guard !meeting.matched.isEmpty else { return }
        try take(meeting, at: task, in: &record)
    }

    /// Consumes the passes of a task that starts, and marks its hits as passed. A step also passes
    /// hits after other tasks.
    func goPastBreakpoints(_ task: QueueTask, isStep: Bool) throws {
        guard try hasBreakpoints() else { return }
        var record = try store.storeRecord()
        if record.breakpoints.letsPass(task.id) {
            record.breakpoints.forget(pass: task.id)
            record.version += 1
            try store.put(record)
        }
        let queue = try queue(task.queue)
        guard queue.pauses.contains(where: { $0.hits.contains { !$0.isPassed } }) else { return }
        try changeHits(in: queue.name) { hits in
            for index in hits.indices
            where hits[index].task == task.id || isStep && hits[index].moment != .before {
                hits[index].isPassed = true
            }
        }
    }

    /// Writes what came of a task that matched: the counts, a line of the journal for each stop,
    /// and the entries of the queue's pause.
    private func take(
        _ meeting: Breakpoints.Meeting, at task: QueueTask, in record: inout StoreRecord
    ) throws {
        let hits = meeting.stopping.map { BreakpointHit($0, at: task, real) }
        record.version += 1
        let ended = record.breakpoints.all.filter { $0.isLog && !$0.isActive(at: real) }
        record.breakpoints.all.removeAll { $0.isLog && !$0.isActive(at: real) }
        try store.put(record)
        for breakpoint in meeting.logged + meeting.stopping {
            let place = BreakpointHit(breakpoint, at: task).place
            let passes = breakpoint.limit == nil ? "passed" : "warns of \(task.queue):"
            let ends = breakpoint.limit == nil ? "" : ":"
            let word = breakpoint.isLog ? passes : "stopped \(task.queue)\(ends)"
            try store.append([
                JournalEvent(
                    at: real, kind: JournalEvent.stopped, queue: task.queue, task: task.id,
                    by: "sluice", text: "\(breakpoint.name) \(word) \(place)")
            ])
        }
        try recordEnds(of: ended)
        if let pause = Pause(hits: hits, since: real) { try addPause(pause, to: task.queue) }
    }

    /// Changes the entries of a queue's pause by breakpoints, which ends with the last of them.
    func changeHits(in queue: String, _ change: (inout [BreakpointHit]) -> Void) throws {
        try changeQueue(queue) { queue in
            queue.pauses = queue.pauses.compactMap { pause in
                guard pause.cause == .breakpoint else { return pause }
                var hits = pause.hits
                change(&hits)
                return hits == pause.hits ? pause : pause.with(hits: hits)
            }
        }
    }
}

extension JournalEvent {
    /// The kind of the lines about stops of breakpoints.
    package static let stopped = "breakpoint"
}

extension AttemptRecord.Outcome {
    /// Whether breakpoints on failures apply: for failures, timeouts and lost attempts.
    var isFailure: Bool {
        switch self {
        case .retry, .giveUp, .pauseQueue, .lost, .timedOut: true
        case .success, .park, .offline, .cancelled, .stopped, .abandoned: false
        }
    }
}

/// Facts that breakpoints and faults need in addition to the task.
struct CommitFacts: FilterFacts {
    let now: Timestamp
    let real: Timestamp
    private let store: any StoreReader
    private let task: TaskID
    private let known: [UInt8]?

    /// Facts about a task; a payload that was not read is read where a filter asks for it.
    init(_ mutation: Mutation, _ task: QueueTask, payload: [UInt8]?) {
        (store, now, real) = (mutation.store, mutation.now, mutation.real)
        (self.task, known) = (task.id, payload)
    }

    func display() -> Display { .due }
    func payload() throws -> [UInt8] { try known ?? store.payload(of: task) ?? [] }
    func lastAttempt() -> AttemptRecord? { nil }
    func twins() -> [TaskID] { [] }
    func uuid() throws -> String? { try store.naming?.uuid(of: task) }
}
