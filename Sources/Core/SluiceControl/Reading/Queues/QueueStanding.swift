package import SluiceModel

/// What a queue does, in the one word that the screen, lists and sentences have for it (N1, F5).
package enum QueueStanding: Hashable, Sendable {
    /// Something runs, or holds a queue that is not paused, too long (Q8).
    case stuck
    /// Breakpoints alone hold it (G1).
    case atStop
    /// Nothing more starts, and nothing runs.
    case paused
    /// Nothing more starts, and what runs goes on to its end.
    case pausing
    /// Something waits and nothing of it may start now, although the queue is not paused: in a
    /// strict queue everything behind a task that waits for its retry; elsewhere where all is held,
    /// parked or skipped.
    case blocked
    /// No attached runner takes its next task.
    case noRunner(RunnerLack)
    /// It works, or would at once.
    case running
    /// Nothing runs, and all that waits and may go on waits for a time: retries, delays.
    case waiting
    /// Its tasks wait for a run.
    case noRun
    /// Nothing waits, and so many were given up.
    case failed(Int)
    /// Nothing waits.
    case empty

    /// The standing of a queue whose tasks are counted by what they show.
    package init(_ overview: QueueOverview, _ tally: QueueTally) {
        let waitsForTime = tally.retrying + tally.delayed > 0
        let standsStill =
            tally.running == 0 && tally.due == 0
            && (tally.blocked > 0 || tally.waiting > 0 && !waitsForTime)
        switch overview.state {
        case .paused: self = overview.isAtStop ? .atStop : .paused
        case _ where overview.isStuck: self = .stuck
        case .pausing: self = overview.isAtStop ? .atStop : .pausing
        case .running:
            let waits = tally.running == 0 && tally.due == 0 && waitsForTime
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
        case .noRunner: "no runner"
        case .running: "running"
        case .waiting: "waiting"
        case .noRun: "no run"
        case .failed(let count): "\(NumberText.grouped(count)) failed"
        case .empty: "empty"
        }
    }

    /// The word where there is room for more: `no runner for resize`, `waits for a run`.
    package var words: String {
        switch self {
        case .noRunner(let lack): lack.words
        case .noRun: "waits for a run"
        default: word
        }
    }
}

extension QueueOverview {
    /// What it does.
    package var standing: QueueStanding { QueueStanding(self, QueueTally(self)) }
}
