package import SluiceModel

/// The condition of a queue in one word, for the screen, lists and sentences (N1, F5).
package enum QueueStatus: Hashable, Sendable {
    /// Something runs, or holds a queue that is not paused, too long (Q8).
    case stuck
    /// Breakpoints alone hold it (G1).
    case atStop
    /// No task starts or runs.
    case paused
    /// No task starts, and running attempts may finish.
    case pausing
    /// Tasks wait and none may start, although the queue is not paused. In a strict queue the head
    /// waits for a retry; otherwise all tasks are held, parked or skipped.
    case blocked
    /// No attached runner takes its next task.
    case noRunner(RunnerLack)
    /// It works, or would start work immediately.
    case running
    /// No task runs, and all other tasks wait for a time: retries, delays.
    case waiting
    /// It runs or waits, and many of its last attempts failed.
    case failing
    case noRun
    /// No task waits; the value is the number of failed tasks.
    case failed(Int)
    /// Nothing waits.
    case empty

    /// Computes the condition from the overview and the tally of displayed states.
    package init(_ overview: QueueOverview, _ tally: QueueTally) {
        let status = QueueStatus(now: overview, tally)
        let works = [.running, .waiting].contains(status)
        self = overview.isFailing && works ? .failing : status
    }

    /// The condition without a look at former attempts.
    private init(now overview: QueueOverview, _ tally: QueueTally) {
        let waitsForTime = tally.retrying + tally.delayed > 0
        let running = tally.running + tally.taken
        let standsStill =
            running == 0 && tally.due == 0
            && (tally.blocked > 0 || tally.waiting > 0 && !waitsForTime)
        switch overview.state {
        case .paused: self = overview.isAtStop ? .atStop : .paused
        case _ where overview.isStuck: self = .stuck
        case .pausing: self = overview.isAtStop ? .atStop : .pausing
        case .running:
            let waits = running == 0 && tally.due == 0 && waitsForTime
            self =
                overview.lack.map { .noRunner($0) }
                ?? (standsStill ? .blocked : waits ? .waiting : .running)
        case .idle where tally.waiting > 0: self = .noRun
        case .idle where tally.failed > 0: self = .failed(tally.failed)
        case .idle: self = .empty
        }
    }

    /// The word of a column of states.
    package var word: String {
        switch self {
        case .stuck: "stuck"
        case .atStop: "at stop"
        case .paused: "paused"
        case .pausing: "pausing"
        case .blocked: "blocked"
        case .noRunner: "no worker"
        case .running: "running"
        case .waiting: "waiting"
        case .failing: "failing"
        case .noRun: "no run"
        case .failed(let count): "\(NumberText.grouped(count)) failed"
        case .empty: "empty"
        }
    }

    /// The word if there is room for more: `no runner for resize`, `waits for a run`.
    package var words: String {
        switch self {
        case .noRunner(let lack): lack.words
        case .noRun: "waits for a run"
        default: word
        }
    }
}

extension QueueOverview {
    package var status: QueueStatus { QueueStatus(self, QueueTally(self)) }
}
