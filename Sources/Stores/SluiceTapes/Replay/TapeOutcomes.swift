package import SluiceModel
import SluiceStore

/// The outcomes of the attempts on a tape, in order of their ends. A replacement for the handlers
/// returns them again (G4).
package struct TapeOutcomes: Sendable {
    package struct Entry: Hashable, Sendable {
        package var task: TaskID
        /// The number of the execution among the task's.
        package var number: Int
        package var type: String
        /// The handler's outcome. Another end, such as a lost worker, becomes a failure that names
        /// it.
        package var outcome: HandlerOutcome
        /// How long it took.
        package var milliseconds: Int64
    }
    /// The attempts that ended during the recording.
    package private(set) var entries: [Entry] = []

    package init(_ file: TapeFile) throws {
        var known: Set<[Int64]> = []
        for number in 0..<file.count {
            let commit = try file.event(number + 1)
            var endings: [TaskID: Ending] = [:]
            for case .settle(let completions) in commit.decisions.map(\.question) {
                for completion in completions { endings[completion.task] = completion.ending }
            }
            for case .attempt(let attempt) in commit.changes {
                guard let entry = Entry(attempt, endings[attempt.task]),
                    known.insert([entry.task, Int64(entry.number)]).inserted
                else { continue }
                entries.append(entry)
            }
        }
    }
}

extension TapeOutcomes.Entry {
    /// Returns `nil` for a running attempt.
    fileprivate init?(_ attempt: AttemptRecord, _ ending: Ending?) {
        guard let ended = attempt.outcome else { return nil }
        (task, number, type) = (attempt.task, attempt.number, attempt.type)
        milliseconds = attempt.endedAt.map { max(0, $0 - attempt.startedAt) } ?? 0
        if case .handler(let said, _)? = ending {
            outcome = said
        } else {
            outcome = Self.outcome(ended, attempt.error)
        }
    }

    private static func outcome(
        _ ended: AttemptRecord.Outcome, _ error: String?
    ) -> HandlerOutcome {
        switch ended {
        case .success: return .success(result: nil)
        case .retry: return .retry(afterMilliseconds: nil, error: error)
        case .park: return .park(error: error)
        case .giveUp: return .giveUp(error: error)
        case .offline: return .offline(error: error)
        case .pauseQueue:
            return .pauseQueue(milliseconds: pauseMilliseconds, isCounted: false, error: error)
        case .lost, .timedOut, .cancelled, .stopped, .abandoned:
            let detail = error.map { ": \($0)" } ?? ""
            return .retry(
                afterMilliseconds: nil,
                error: "on the tape it ended as \(ended.rawValue)\(detail)")
        }
    }

    /// The duration of a handler's pause if the tape has only its end.
    private static let pauseMilliseconds: Int64 = 300_000
}
