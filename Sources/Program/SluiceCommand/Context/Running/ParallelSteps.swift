import SluiceControl
import SluiceModel
import SluiceStore
import SluiceSystem

/// Steps through a run with several lanes. Each lane steps one task at a time, and waits if no task
/// may start while the other lanes, or other processes, run theirs.
final class ParallelSteps: @unchecked Sendable {
    private let control: Control
    private let run: FollowedRun
    private let issuer: Attachment
    /// The runner of this process, which executes the steps.
    private let host: ProcessID?
    private let commits = NoticeGate()
    private let lock = Lock()
    private let changed: Condition
    // Guarded by the lock.
    private var whole = StepAnswer()
    private var inFlight = 0
    private var ends = 0
    private var isOver = false
    private var isAwaitingOthers = false
    // Of the lane that waits.
    private var hasLookedAgain = false
    private var failure: (any Error)?

    init(_ run: FollowedRun, _ control: Control, issuer: Attachment, host: ProcessID?) {
        (self.run, self.control, self.issuer, self.host) = (run, control, issuer, host)
        changed = Condition(lock)
    }

    /// Steps until the run ends, nothing is eligible, or a task pauses the queue. Includes the
    /// executions of others in the run since this process opened or joined it.
    func drive(_ count: Int) throws -> StepAnswer {
        let observation = try control.store.observe { [commits] in commits.open() }
        defer { withExtendedLifetime(observation) {} }
        let others = try (1..<max(1, count)).map { _ in
            try Thread(name: "run") { self.step() }
        }
        step()
        for thread in others { thread.join() }
        if let failure { throw failure }
        // Another process may have taken the next task after the last step.
        let (all, next) = try look { [run] reading in
            let queue = try reading.store.requireQueue(run.queue)
            return (try run.progress(in: reading), try reading.next(of: queue)?.id)
        }
        (whole.stepped, whole.table, whole.run) = (all.stepped, all.table, all.run)
        (whole.stop, whole.next) = (all.stop, next)
        return whole
    }

    private func look<Value: Sendable>(
        _ body: @escaping @Sendable (Reading) throws -> Value
    ) throws -> Value {
        let now = control.now()
        return try control.store.readBlocking { try body(Reading($0, now: now)) }
    }

    private func step() {
        var fruitless: Int?
        while begins(after: fruitless) {
            let result = Result<StepAnswer, any Error> {
                try control.stepBlocking(
                    .queue(run.queue, count: 1), issuer: issuer, isRun: true, host: host)
            }
            let isWaiting: Bool
            (fruitless, isWaiting) = lock.withLock { take(result) }
            if isWaiting { awaitOthers() }
        }
    }

    /// Waits while only other processes execute tasks of the run, for its end or for the next task.
    /// One lane waits for all.
    private func awaitOthers() {
        var standing = Result { try self.othersStanding() }
        while case .success(.run) = standing {
            commits.wait(until: nil)
            standing = Result { try self.othersStanding() }
        }
        lock.withLock {
            isAwaitingOthers = false
            switch standing {
            case .success(.free): ends += 1
            case .success: end()
            case .failure(let error):
                failure = failure ?? error
                end()
            }
            changed.broadcast()
        }
    }

    private enum Others: Sendable {
        /// They execute tasks of the run.
        case run
        /// They have ended one, so that another may start.
        case free
        /// The run has ended or stopped, no process executes a task, or this one is to stop.
        case done
    }

    private func othersStanding() throws -> Others {
        let (run, host) = (run, host)
        let found = try look { reading -> Others? in
            guard try run.report(in: reading).isOpen, try !run.isStopped(in: reading),
                let runner = try reading.store.processes().first(where: { $0.id == host }),
                !runner.isStopping
            else { return .done }
            let queue = try reading.store.requireQueue(run.queue)
            let permits = try reading.store.permits().filter { $0.queue == run.queue }
            let taken = try reading.store.slotsTaken(in: run.queue) + permits.count
            guard taken > 0 else { return nil }
            guard taken < queue.settings.concurrency else { return .run }
            let named = Set(permits.map(\.task))
            let next = try reading.store.eligible(
                queue, for: [runner], now: reading.now, limit: named.count + 1)
            return next.contains { !named.contains($0.id) } ? .free : .run
        }
        // The last task of another process may have ended since this one looked for a task.
        let isSecondLook = hasLookedAgain
        hasLookedAgain = found == nil
        return found ?? (isSecondLook ? .done : .free)
    }

    /// Whether a lane shall step: not where the last look found nothing and none has ended since.
    private func begins(after fruitless: Int?) -> Bool {
        lock.withLock {
            while !isOver, ends == fruitless, inFlight > 0 { changed.wait() }
            while !isOver, ends == fruitless, isAwaitingOthers { changed.wait() }
            if ends == fruitless { end() }
            if !isOver { inFlight += 1 }
            return !isOver
        }
    }

    /// Takes what a step gave: the number of ends after which it found nothing, and whether the
    /// lane waits for other processes.
    private func take(
        _ result: Result<StepAnswer, any Error>
    ) -> (fruitless: Int?, isWaiting: Bool) {
        inFlight -= 1
        do {
            let answer = try result.get()
            whole.next = answer.next
            whole.blockers = answer.blockers
            whole.stepped += answer.stepped
            let (report, stop, isStopped) = try standing()
            (whole.run, whole.stop) = (report, stop)
            guard !answer.stepped.isEmpty else {
                if !report.isOpen || isStopped { end() }
                isAwaitingOthers = !isOver && inFlight == 0
                changed.broadcast()
                return (ends, isAwaitingOthers)
            }
            ends += 1
            if !report.isOpen || isStopped { end() }
        } catch let error as QueueError where !whole.stepped.isEmpty {
            whole.refusal = whole.refusal ?? error
            end()
        } catch {
            failure = failure ?? error
            end()
        }
        changed.broadcast()
        return (nil, false)
    }

    /// The state of the run, and whether a later pause stops it.
    private func standing() throws
        -> (report: RunReport, stop: BreakpointHit?, isStopped: Bool)
    {
        let (run, now) = (run, control.now())
        return try control.store.readBlocking { store in
            let reading = try Reading(store, now: now)
            return (
                try run.report(in: reading), try run.stop(in: reading),
                try run.isStopped(in: reading)
            )
        }
    }

    private func end() {
        isOver = true
        changed.broadcast()
    }
}
