import SluiceControl
import SluiceModel
import SluicePlatform
import SluiceStore

/// Steps through a run with several lanes. Each lane steps one task at a time, and waits if no task
/// may start while the other lanes run theirs.
final class ParallelSteps: @unchecked Sendable {
    private let control: Control
    private let run: FollowedRun
    private let issuer: Attachment
    private let lock = Lock()
    private let changed: Condition
    // Guarded by the lock.
    private var whole = StepAnswer()
    private var inFlight = 0
    private var ends = 0
    private var isOver = false
    private var failure: (any Error)?

    init(_ run: FollowedRun, _ control: Control, issuer: Attachment) {
        (self.run, self.control, self.issuer) = (run, control, issuer)
        changed = Condition(lock)
    }

    /// Steps until the run ends, nothing is eligible, or a task pauses the queue.
    func drive(_ count: Int) throws -> StepAnswer {
        let others = try (1..<max(1, count)).map { _ in
            try Thread(name: "run") { self.step() }
        }
        step()
        for thread in others { thread.join() }
        if let failure { throw failure }
        return whole
    }

    private func step() {
        var fruitless: Int?
        while begins(after: fruitless) {
            let result = Result<StepAnswer, any Error> {
                try control.stepBlocking(
                    .queue(run.queue, count: 1), issuer: issuer, isRun: true)
            }
            fruitless = lock.withLock { take(result) }
        }
    }

    /// Whether a lane shall step: not where the last look found nothing and none has ended since.
    private func begins(after fruitless: Int?) -> Bool {
        lock.withLock {
            while !isOver, ends == fruitless, inFlight > 0 { changed.wait() }
            if ends == fruitless { end() }
            if !isOver { inFlight += 1 }
            return !isOver
        }
    }

    /// Takes what a step gave; the number of ends after which it found nothing.
    private func take(_ result: Result<StepAnswer, any Error>) -> Int? {
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
                changed.broadcast()
                return ends
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
        return nil
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
