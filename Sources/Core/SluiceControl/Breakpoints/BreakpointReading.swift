package import SluiceModel
import SluiceStore

/// A queue that a breakpoint stopped, and where.
package struct QueueStop: Hashable, Sendable {
    package var queue: String
    package var hit: BreakpointHit
}

extension Breakpoint {
    /// The details after the filter: the queues it stops, the number of stops left, and its owner.
    package func note(
        _ stops: [QueueStop], time: (Timestamp) -> String = { TimeText.rfc3339($0) }
    ) -> String {
        var notes = stops.filter { $0.hit.breakpoint == number }.map { stop in
            stop.hit.isPassed
                ? "holds \(stop.queue)" : "stops \(stop.queue) \(stop.hit.place)"
        }
        if let firing {
            notes.append(
                "fired at \(time(firing.at)): \(firing.rate.failed) of "
                    + "\(firing.rate.attempts) failed")
        }
        if isLog { notes.append(limit == nil ? "only a line" : "only warns") }
        if let atHit, hits < atHit { notes.append("from match \(atHit) on") }
        if let times {
            let left = max(0, times - self.stops)
            notes.append(left == 0 ? "spent" : "\(left) more")
        }
        if owner != nil { notes.append("ends with its console") }
        return notes.joined(separator: ", ")
    }
}

extension Reading {
    /// The breakpoints whose time is not over and whose console is there, by number.
    package func breakpoints() throws -> [Breakpoint] {
        let all = try store.storeRecord().breakpoints.all.filter { !$0.isOver(at: real) }
        guard all.contains(where: { $0.owner != nil }) else { return all }
        let gone = Set(try goneProcesses().map(\.id))
        return all.filter { breakpoint in !(breakpoint.owner.map(gone.contains) ?? false) }
    }

    /// The queues that breakpoints stop, one entry for each hit.
    package func stops() throws -> [QueueStop] {
        guard try !store.storeRecord().breakpoints.isEmpty else { return [] }
        return try store.queues().flatMap { queue in
            queue.hits(at: real).map { QueueStop(queue: queue.name, hit: $0) }
        }
    }

    /// The breakpoints that would stop before each of some waiting tasks. Assumes that the tasks
    /// start one after the other, now or at their moments in real time. Returns none for a task
    /// that a breakpoint lets pass. Reads short payloads if a filter needs them.
    package func stopsAhead(
        of tasks: [QueueTask], _ moments: Set<Breakpoint.Moment> = [.before],
        at starts: [Timestamp] = []
    ) throws -> [TaskID: Int64] {
        var breakpoints = try self.breakpoints().filter {
            moments.contains($0.moment) && !$0.isLog && $0.isActive(at: real)
        }
        guard !breakpoints.isEmpty else { return [:] }
        let index = FilterIndex(breakpoints.map(\.filter))
        let asksPayload = breakpoints.contains(where: \.asksPayload)
        let payloads =
            asksPayload
            ? try store.payloadHeads(of: tasks.map(\.id), first: StoreRecord.shortPayloadBytes)
            : [:]
        var found: [TaskID: Int64] = [:]
        for (place, task) in tasks.enumerated() where task.waiting != nil {
            let start = starts.isEmpty ? real : starts[place]
            let facts = KnownFacts(
                now: now, real: start, display: .due, payload: payloads[task.id]?.bytes ?? [],
                uuid: try store.naming?.uuid(of: task.id))
            var question = FilterQuestion(of: task, facts)
            for place in try index.places(of: task, facts) {
                let breakpoint = breakpoints[place]
                guard breakpoint.isActive(at: start), !breakpoint.passes.contains(task.id),
                    try question.isMatched(by: breakpoint.filter)
                else { continue }
                if breakpoints[place].count(), found[task.id] == nil {
                    found[task.id] = breakpoint.number
                }
            }
        }
        return found
    }
}

extension StoreReader {
    /// The task before which a breakpoint stopped a queue, if it may start. A step takes it first.
    /// `assumesRunner` assumes a handler for every type.
    func stoppedTask(
        of queue: QueueRecord, now: Timestamp, real: Timestamp, assumesRunner: Bool = false
    ) throws -> QueueTask? {
        guard let hit = queue.stoppedBefore(at: real), let task = try task(hit.task),
            task.waiting != nil, task.queue == queue.name,
            try !permits().contains(where: { $0.task == task.id }),
            try lasting(task, now: now, real: real).allSatisfy({
                assumesRunner && $0.kind == .noRunner
            })
        else { return nil }
        return task.awake(at: now)
    }

    /// The blockers that a permit does not pass.
    func lasting(_ task: QueueTask, now: Timestamp, real: Timestamp) throws -> [Blocker] {
        var place = try eligibility(of: task, now: now, real: real)
        place.hasPermit = true
        return task.blockers(in: place).filter { !Blocker.Kind.passedByStep.contains($0.kind) }
    }
}

extension Reading {
    /// The task that a step of a queue would take: the stopped task, else the next one. Ignores
    /// pauses, slots and the run.
    package func next(of queue: QueueRecord) throws -> QueueTask? {
        let processes = try processes()
        let hasNoRunner = !processes.contains(where: \.isWorking)
        return try store.stoppedTask(of: queue, now: now, real: real, assumesRunner: hasNoRunner)
            ?? store.nextTask(of: queue, among: processes, now: now)
    }

    /// The waiting task whose reasons explain an empty step. It is the next task. Without one it is
    /// the first ready task, or in a `block` queue the first waiting task.
    func nearest(of queue: QueueRecord) throws -> QueueTask? {
        if let next = try next(of: queue) { return next }
        let isBlocking = queue.settings.afterFailure == .block
        let ready = TaskQuery(queue: queue.name, waitFlags: .ready, limit: 1)
        let first = TaskQuery(queue: queue.name, state: .waiting, limit: 1)
        return try (isBlocking ? nil : store.tasks(matching: ready).first)
            ?? store.tasks(matching: first).first
    }
}
