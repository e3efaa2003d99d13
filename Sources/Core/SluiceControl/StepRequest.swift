public import SluiceModel
package import SluiceStore
import SluiceSystem

/// The tasks to execute despite the pause (D3).
package enum StepRequest: Hashable, Sendable {
    /// The next tasks of a queue, one after the other.
    case queue(String, count: Int)
    /// Exactly this task, out of its order.
    case task(TaskTarget)
}

/// An execution that a step or a run made.
public struct Stepped: Hashable, Sendable {
    /// The task.
    public var id: TaskID
    /// Its type.
    public var type: String
    /// The handler's outcome. The task's state has the consequence.
    public var outcome: AttemptRecord.Outcome?
    /// The error, if it gave one.
    public var error: String?
    /// How long it took.
    public var milliseconds: Int64
    /// The consequence for the task in words.
    public var consequence: String?
    /// The injected fault (G2).
    package var injection: Injection?
    /// Another system's remark on an execution without a stored outcome.
    package var remark: String?

    /// An execution from its line in the attempt log.
    package init(_ attempt: AttemptRecord) {
        id = attempt.task
        type = attempt.type
        outcome = attempt.outcome
        error = attempt.error
        milliseconds = max(0, (attempt.endedAt ?? attempt.startedAt) - attempt.startedAt)
        consequence = attempt.consequence
        injection = attempt.injection
    }

    /// Whether the execution succeeded.
    public var isSuccess: Bool { outcome == .success }
    /// Whether it is known to have failed.
    package var isFailure: Bool { outcome.map { $0 != .success } ?? (remark == nil) }
}

/// The progress of a batched or manual queue's run.
public struct RunReport: Hashable, Sendable {
    /// Whether the run is open.
    public var isOpen: Bool
    /// How many executions it made.
    public var attempted: Int
    /// How many tasks wait in the queue.
    public var left: Int

    /// A run's standing.
    package init(isOpen: Bool, attempted: Int, left: Int) {
        self.isOpen = isOpen
        self.attempted = attempted
        self.left = left
    }
}

/// The result of a step.
public struct StepAnswer: Hashable, Sendable {
    /// The executions, in order.
    public var stepped: [Stepped] = []
    /// The number of requested executions.
    package var asked = 1
    /// The next eligible task, if any.
    public var next: TaskID?
    /// The blockers of the first task, if no task was eligible.
    package var blockers: [Blocker] = []
    /// The run, in a batched or manual queue.
    public var run: RunReport?
    /// The breakpoint hit that stopped the queue since, if any.
    package var stop: BreakpointHit?
    /// The tasks of a run, and for whom each waited; nil for steps.
    package var table: RunTable?
    /// Why the rest of several was not done, where some were.
    public var refusal: QueueError?

    /// Nothing done yet.
    package init() {}
}

extension Control {
    /// How long a permit waits for its runner (D3).
    static let permitMilliseconds = 10_000

    /// Executes the requested tasks in a paused queue, one after the other, on an attached runner.
    /// Returns when they have ended. `issuer` is the attachment of the caller; its permits end when
    /// it detaches. `isRun` marks a step of a run, which stops at breakpoints before tasks. If
    /// `host` is set, only that runner executes. Blocks its thread.
    ///
    /// Throws `notLegal` if the queue starts work without steps, and `noHandler` if no attached
    /// runner handles the task. If no task is eligible, the answer names the blockers.
    package func stepBlocking(
        _ request: StepRequest, issuer: Attachment, isRun: Bool = false, host: ProcessID? = nil
    ) throws -> StepAnswer {
        let permits = Permits(issuer: issuer.process.id, isRun: isRun, host: host)
        var answer = StepAnswer()
        let queue: String
        switch request {
        case .task(let target):
            queue = try store.readBlocking { try $0.requireTask(target.id).queue }
            if let attempt = try stepOnce(.task(target), queue, permits, &answer) {
                answer.stepped.append(Stepped(attempt))
            }
        case .queue(let name, let count):
            queue = name
            guard count >= 1 else {
                throw QueueError(.badValue, "-n is \(count)", fix: "allowed: 1 or more")
            }
            try step(request, name, count: count, permits, &answer)
        }
        let real = now()
        let steppedNothing = answer.stepped.isEmpty
        let (next, blockers, stop) = try store.readBlocking { store in
            let record = try store.requireQueue(queue)
            let moment = try store.storeRecord().time.time(at: real)
            let stop = record.hits(at: real).last { !$0.isPassed }
            let runners = try store.processes().filter { $0.role == .runner && !$0.isStopping }
            let next =
                try store.stoppedTask(of: record, now: moment, real: real)?.id
                ?? store.eligible(record, for: runners, now: moment, limit: 1).first?.id
            let reading = try Reading(store, now: real)
            guard steppedNothing, let first = try reading.nearest(of: record) else {
                return (next, [Blocker](), stop)
            }
            // As if it had a permit: a pause and a missing run do not stop a step (D3).
            var place = try store.eligibility(of: first, now: moment, real: real)
            place.hasPermit = true
            return (next, first.blockers(in: place), stop)
        }
        (answer.next, answer.stop) = (next, stop)
        if answer.blockers.isEmpty { answer.blockers = blockers }
        return answer
    }

    /// The parameters of new permits.
    private struct Permits: Sendable {
        var issuer: ProcessID
        var isRun: Bool
        var host: ProcessID?
    }

    /// Executes several tasks, up to a breakpoint. Reports finished executions even if a later one
    /// fails.
    private func step(
        _ request: StepRequest, _ queue: String, count: Int, _ permits: Permits,
        _ answer: inout StepAnswer
    ) throws {
        answer.asked = count
        let before = try hits(of: queue)
        for _ in 0..<count {
            do {
                guard let attempt = try stepOnce(request, queue, permits, &answer)
                else { return }
                answer.stepped.append(Stepped(attempt))
            } catch let error as QueueError where !answer.stepped.isEmpty {
                answer.refusal = error
                return
            }
            if answer.run?.isOpen == false { return }
            let stops = try hits(of: queue).filter { hit in
                !hit.isPassed && !before.contains { $0.isSame(as: hit) }
            }
            if !stops.isEmpty { return }
        }
    }

    private func hits(of queue: String) throws -> [BreakpointHit] {
        let real = now()
        return try store.readBlocking { try $0.requireQueue(queue).hits(at: real) }
    }

    /// One execution; nil without an eligible task.
    private func stepOnce(
        _ request: StepRequest, _ queue: String, _ permits: Permits, _ answer: inout StepAnswer
    ) throws -> AttemptRecord? {
        let (moment, person) = (now(), person)
        try store.workOffWakesBlocking(now: moment)
        let issued = try store.transactBlocking(at: moment) { mutation in
            try PermitContext(
                mutation, issuer: permits.issuer, person: person, isRun: permits.isRun,
                host: permits.host
            ).issue(request)
        }
        guard let issued else {
            answer.run = try runReport(queue, attempted: nil)
            return nil
        }
        let attempt = try outcome(of: issued)
        answer.run = try runReport(queue, attempted: issued.runAttempted)
        return attempt
    }

    /// Waits for the end of the execution that a permit allows: woken by commits, no polling.
    private func outcome(of issued: IssuedPermit) throws -> AttemptRecord {
        let gate = NoticeGate()
        let observation = try store.observe { gate.open() }
        defer { withExtendedLifetime(observation) {} }
        var deadline: UInt64? =
            SystemClock.monotonicNanoseconds()
            + UInt64(Self.permitMilliseconds) * 1_000_000
        while true {
            let standing = try store.readBlocking { try issued.standing(in: $0) }
            switch standing {
            case .ended(let attempt): return attempt
            case .running:
                deadline = try lookForTheDead()
            case .gone: throw issued.lostError
            case .untaken:
                if let end = deadline, SystemClock.monotonicNanoseconds() >= end {
                    let id = issued.permit.id
                    try store.writeBlocking { try $0.removePermits([id]) }
                    throw issued.untakenError
                }
            }
            gate.wait(until: deadline)
        }
    }

    /// Recovers the tasks of dead runners even if no other process is attached (A2). Learns of
    /// deaths on this machine by watching; on a server it returns when to check again.
    private func lookForTheDead() throws -> UInt64? {
        try Reaper.reapTheDead(in: store, now: now(), chance: chance())
        guard store.heartbeats != nil else { return nil }
        return SystemClock.monotonicNanoseconds() + UInt64(Self.permitMilliseconds) * 1_000_000
    }

    private func runReport(_ name: String, attempted: Int?) throws -> RunReport? {
        try store.readBlocking { store in
            let queue = try store.requireQueue(name)
            guard queue.settings.start != .continuous || queue.run != nil else { return nil }
            let left = try store.counts(queue: name)[.waiting]
            if let run = queue.run {
                return RunReport(isOpen: true, attempted: run.attempted, left: left)
            }
            guard let attempted else { return nil }
            return RunReport(isOpen: false, attempted: attempted, left: left)
        }
    }
}
