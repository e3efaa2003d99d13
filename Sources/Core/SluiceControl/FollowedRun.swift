package import SluiceModel
import SluiceStore

/// A run that somebody opened, or found open, and what it came to since (D4).
package struct FollowedRun: Hashable, Sendable {
    /// The queue.
    package let queue: String
    /// The run's number, the same for all who follow it; nil where nothing could run.
    package let number: Int64?
    /// What the opening did, in a sentence.
    package let summary: String
    private let before: Before

    /// How things stood before it was opened.
    struct Before: Hashable, Sendable {
        var lastEvent: Int64
        var causes: Set<Pause.Cause>
        var hits: [BreakpointHit]

        init(_ queue: String, _ reading: Reading) throws {
            let newest = try reading.store.journal(JournalQuery(limit: 1, withUndo: false))
            lastEvent = newest.last?.sequence ?? 0
            causes = try reading.causes(stopping: queue)
            hits = try reading.store.requireQueue(queue).hits(at: reading.real)
        }
    }

    init(_ queue: String, _ before: Before, _ opened: Answer) {
        self.queue = queue
        number = opened.run?.number
        summary = opened.summary
        self.before = before
    }

    /// Whether work is stopped by a pause whose cause did not hold when it was opened, or by a
    /// breakpoint since.
    package func isStopped(in reading: Reading) throws -> Bool {
        guard try reading.causes(stopping: queue).isSubset(of: before.causes) else { return true }
        return try stop(in: reading) != nil
    }

    /// Where a breakpoint has stopped it since; nil where none has.
    package func stop(in reading: Reading) throws -> BreakpointHit? {
        try reading.store.requireQueue(queue).hits(at: reading.real).last { hit in
            !before.hits.contains { $0.isSame(as: hit) }
        }
    }

    /// How it stands after so many executions.
    package func report(in reading: Reading, attempted: Int) throws -> RunReport {
        let run = try reading.store.requireQueue(queue).run
        return RunReport(
            isOpen: run.map { number == nil || $0.number == number } ?? false,
            attempted: attempted, left: try reading.store.counts(queue: queue)[.waiting])
    }

    /// What was executed since, once the run has ended or is stopped; nil while it goes on.
    package func outcome(in reading: Reading) throws -> StepAnswer? {
        var report = try report(in: reading, attempted: 0)
        var answer = StepAnswer()
        guard number != nil else {
            answer.run = report
            return answer
        }
        if report.isOpen, try !isStopped(in: reading) { return nil }
        var query = JournalQuery(limit: 100_000, withUndo: false)
        query.queue = queue
        query.after = before.lastEvent
        answer.stepped = try reading.store.journal(query).compactMap { entry in
            if case .attempt(let attempt) = entry { Stepped(attempt) } else { nil }
        }
        report.attempted = answer.stepped.count
        answer.run = report
        answer.stop = try stop(in: reading)
        return answer
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

    /// Waits until a run has ended, or a pause that came since stops it, and says what was executed
    /// meanwhile: woken by commits, no polling. Blocks its thread.
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
