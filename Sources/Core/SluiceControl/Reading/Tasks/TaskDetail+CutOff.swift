import SluiceModel

/// Attempts with an interrupted handler. Its progress is unknown, so effects outside the store may
/// happen twice.
extension TaskDetail {
    /// A sentence with the attempts that were cut off, and the consequence; nil without one.
    package var cutOffSentence: String? { attempts.cutOffSentence }
}

extension [AttemptRecord] {
    /// A sentence with the attempts that were cut off, and the consequence; nil without one.
    package var cutOffSentence: String? {
        let numbers = filter(\.isCutOff).map { "\($0.number)" }
        guard let last = numbers.last else { return nil }
        let which =
            switch numbers.count {
            case 1: "attempt \(last) was"
            case 2...4: "attempts \(numbers.dropLast().joined(separator: ", ")) and \(last) were"
            default: "\(numbers.count) attempts were"
            }
        let whose = numbers.count == 1 ? "it" : "they"
        return "\(which) cut off: what \(whose) did stays done, the next does it again"
    }
}

extension AttemptRecord {
    /// Whether its handler started and ended without a result.
    fileprivate var isCutOff: Bool {
        switch outcome {
        case .timedOut, .lost, .abandoned: injection?.kind.leavesHandlerOut != true
        case .success, .retry, .park, .giveUp, .pauseQueue, .offline, .cancelled, .stopped, nil:
            false
        }
    }
}

extension Fault.Kind {
    /// Whether it takes the handler's place.
    fileprivate var leavesHandlerOut: Bool {
        switch self {
        case .fail, .retryAfter, .giveUp, .timeOut, .offline, .crashBefore: true
        case .delay, .twice, .crashAfter: false
        }
    }
}
