package import SluiceModel

/// The result of an attempt in words. JSON keeps the handler's outcome.
package struct AttemptText: Hashable, Sendable {
    private let outcome: AttemptRecord.Outcome?
    private let error: String?
    private let consequence: String?
    /// The injected fault in words, if any (G2).
    package let injection: String?
    private let milliseconds: Int64?
    private var isLost = false
    private var remark: String?

    /// An attempt of the log; `isLost` says that the runner died that the store says runs it.
    package init(_ attempt: AttemptRecord, isLost: Bool = false) {
        self.isLost = isLost
        outcome = attempt.outcome
        error = attempt.error
        consequence = attempt.consequence
        injection = attempt.injection?.words
        // Some systems keep the end of an attempt alone.
        milliseconds = attempt.startedAt.ifKnown.flatMap { began in
            attempt.endedAt.map { max(0, $0 - began) }
        }
    }

    /// An attempt that a step or a run made.
    package init(_ stepped: Stepped) {
        outcome = stepped.outcome
        error = stepped.error
        consequence = stepped.consequence
        injection = stepped.injection?.words
        milliseconds = stepped.outcome == nil ? nil : stepped.milliseconds
        remark = stepped.remark
    }

    /// Its end. For a lost attempt it adds when Sluice noticed the loss.
    package var ending: String {
        guard outcome == .lost, let milliseconds else { return outcomeWord }
        return "\(outcomeWord), noticed after \(DurationText.taken(milliseconds))"
    }

    /// The duration; `nil` for a running or lost attempt.
    package var took: String? { outcome == .lost ? nil : milliseconds.map(DurationText.taken) }

    /// A failure that was the last one gave up, and did not fail to be retried.
    private var outcomeWord: String {
        guard let outcome else { return remark ?? (isLost ? "its worker died" : "runs") }
        return outcome == .retry && wasGivenUp ? AttemptRecord.Outcome.giveUp.words : outcome.words
    }

    /// The consequence for the task, unless `ending` names it.
    package var rest: String? {
        guard outcome != .success, let consequence else { return nil }
        return wasGivenUp && [.retry, .giveUp].contains(outcome) ? nil : consequence
    }

    /// `gave up after 8 ms: card declined`, `failed after 402 ms: HTTP 500 → retry in 24s`.
    package var sentence: String {
        var text = ending
        if outcome != .lost, let milliseconds {
            text += " after \(DurationText.taken(milliseconds))"
        }
        // A time-out says itself how long it was.
        if let error, !error.hasPrefix(text) { text += ": \(ErrorLine.cause(of: error))" }
        if let injection { text += " (\(injection))" }
        if let rest { text += " → \(rest)" }
        return text
    }

    private var wasGivenUp: Bool { consequence == Self.givenUp }
    private static let givenUp = "given up"
}

extension AttemptRecord.Outcome {
    /// The word that people read.
    package var words: String {
        switch self {
        case .success: "succeeded"
        case .retry: "failed"
        case .park: "parked"
        case .giveUp: "gave up"
        case .pauseQueue: "paused the queue"
        case .offline: "was offline"
        case .lost: "was lost"
        case .timedOut: "timed out"
        case .cancelled: "was cancelled"
        case .stopped: "was stopped"
        case .abandoned: "was abandoned"
        }
    }
}
