package import SluiceModel
import SluiceStore

/// A run that a person opened or joined, and its results since then (D4).
package struct FollowedRun: Hashable, Sendable {
    package let queue: String
    /// The run's number, the same for all who follow it; nil if nothing could run.
    package let number: Int64?
    /// The sentence about its opening.
    package let summary: String
    private let before: Before

    /// The queue's condition before the opening.
    struct Before: Hashable, Sendable {
        var lastEvent: Int64
        var causes: Set<Pause.Cause>
        var hits: [BreakpointHit]
        /// The first waiting tasks, and the required ones of these and of the running ones: a task
        /// that succeeds may be gone afterwards.
        var waiting: Set<TaskID>
        var required: Set<TaskID>

        init(_ queue: String, _ reading: Reading) throws {
            let newest = try reading.store.journal(JournalQuery(limit: 1, withUndo: false))
            lastEvent = newest.last?.sequence ?? 0
            causes = try reading.causes(stopping: queue)
            hits = try reading.store.requireQueue(queue).hits(at: reading.real)
            func found(_ state: TaskState.Name) throws -> [QueueTask] {
                let query = TaskQuery(queue: queue, state: state, limit: TaskTimeline.limit)
                return try reading.store.tasks(matching: query)
            }
            let tasks = try found(.waiting)
            waiting = Set(tasks.lazy.map(\.id))
            required = Set((tasks + (try found(.running))).lazy.filter(\.isRequired).map(\.id))
        }
    }

    init(_ queue: String, _ before: Before, _ opened: Answer) {
        self.queue = queue
        number = opened.run?.number
        summary = opened.summary
        self.before = before
    }

    /// Whether a breakpoint, or a pause with a new cause, stops work since the opening.
    package func isStopped(in reading: Reading) throws -> Bool {
        guard try reading.causes(stopping: queue).isSubset(of: before.causes) else { return true }
        return try stop(in: reading) != nil
    }

    /// The breakpoint hit that stopped it since, if any.
    package func stop(in reading: Reading) throws -> BreakpointHit? {
        try reading.store.requireQueue(queue).hits(at: reading.real).last { hit in
            !before.hits.contains { $0.isSame(as: hit) }
        }
    }

    private func isOpen(in reading: Reading) throws -> Bool {
        try reading.store.requireQueue(queue).run?.number == number
    }

    /// The run's report. Includes executions before a person joined.
    package func report(in reading: Reading) throws -> RunReport {
        let run = try reading.store.requireQueue(queue).run
        let open = run.flatMap { number == nil || $0.number == number ? $0 : nil }
        return RunReport(
            isOpen: open != nil, attempted: try open?.attempted ?? attempts(in: reading),
            left: try reading.store.counts(queue: queue)[.waiting])
    }

    /// How many executions it made, by the line of the log about its end.
    private func attempts(in reading: Reading) throws -> Int {
        guard number != nil else { return 0 }
        // The end is among the newest lines.
        var query = JournalQuery(limit: 1_000, withUndo: false)
        query.queue = queue
        for case .event(let event) in try reading.store.journal(query)
        where event.sequence > before.lastEvent {
            if let count = event.attemptsOfEndedRun { return count }
        }
        return 0
    }

    /// The executions since the opening, when the run has ended or stopped; `nil` while it
    /// continues.
    package func outcome(in reading: Reading) throws -> StepAnswer? {
        if number != nil, try isOpen(in: reading), try !isStopped(in: reading) { return nil }
        return try progress(in: reading)
    }

    /// The executions since the opening so far, of every process.
    package func progress(in reading: Reading) throws -> StepAnswer {
        var answer = StepAnswer()
        answer.run = try report(in: reading)
        guard number != nil else { return answer }
        var query = JournalQuery(limit: 100_000, withUndo: false)
        query.queue = queue
        query.after = before.lastEvent
        let attempts = try reading.store.journal(query).compactMap { entry in
            if case .attempt(let attempt) = entry { attempt } else { nil }
        }
        answer.stepped = attempts.map(Stepped.init)
        answer.table = try table(of: attempts, in: reading)
        answer.stop = try stop(in: reading)
        return answer
    }

    private func table(
        of attempts: [AttemptRecord], in reading: Reading
    ) throws -> RunTable? {
        guard !attempts.isEmpty else { return nil }
        let timeline = try reading.timeline(
            of: attempts, in: queue, waiting: before.waiting)
        let present = try reading.store.tasks(timeline.rows.map(\.task))
        let required = present.lazy.filter(\.isRequired).map(\.id)
        return RunTable(timeline, required: before.required.union(required))
    }
}

extension Reading {
    /// The causes of the pauses that stop the work of a queue.
    fileprivate func causes(stopping queue: String) throws -> Set<Pause.Cause> {
        let pauses = try store.requireQueue(queue).pauses + store.storeRecord().pauses
        return Set(
            pauses.filter { $0.direction.stopsWork && $0.isActive(at: now, real: real) }.map(
                \.cause))
    }
}

extension Control {
    /// Opens a run of a queue, or joins the one that is open (D4), so that its end can be told.
    /// Attached runners execute it; where none serves the queue it waits for one.
    package func openRun(_ queue: String, limit: RunLimit? = nil) async throws -> FollowedRun {
        let now = now()
        let before = try await store.read {
            try FollowedRun.Before(queue, Reading($0, now: now))
        }
        return FollowedRun(queue, before, try await perform(.run(queue: queue, limit: limit)))
    }

    /// `openRun` for a caller that may block its thread.
    package func openRunBlocking(_ queue: String, limit: RunLimit? = nil) throws -> FollowedRun {
        let now = now()
        let before = try store.readBlocking {
            try FollowedRun.Before(queue, Reading($0, now: now))
        }
        return FollowedRun(queue, before, try performBlocking(.run(queue: queue, limit: limit)))
    }

    /// Waits until a run ends or a new pause stops it, then returns the executions. Wakes on
    /// commits without polling. Blocks its thread.
    package func endBlocking(of run: FollowedRun) throws -> StepAnswer {
        let gate = NoticeGate()
        let observation = try store.observe { gate.open() }
        defer { withExtendedLifetime(observation) {} }
        while true {
            let now = now()
            let outcome = try store.readBlocking { try run.outcome(in: Reading($0, now: now)) }
            if let outcome { return outcome }
            gate.wait(until: nil)
        }
    }
}
