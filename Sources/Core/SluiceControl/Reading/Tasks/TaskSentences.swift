package import SluiceModel

/// Sentences about a task, shared by all displays.
package enum TaskSentences {
    /// Counted executions of those allowed.
    package static func tries(_ task: QueueTask, _ queue: QueueRecord) -> String {
        let limit = queue.settings.attemptLimit(of: task)
        return "\(task.attempts)/\(limit.map(String.init) ?? "-")"
    }

    /// A client string in quotes, so that an empty one is visible.
    package static func clientString(_ string: ClientString) -> String {
        string.text.map { "\"\($0)\"" } ?? "\(string.bytes.count) bytes, no text"
    }

    /// The displayed state, with one explaining word.
    package static func state(_ line: TaskLine, names: TaskNames) -> String {
        if line.systemState != nil { return line.isTaken ? "taken" : line.display.rawValue }
        switch line.display {
        case .held: return line.heldBy.map { "held by \(names.name($0))" } ?? "held"
        case .skipped: return "skipped by \(line.task.waiting?.skip?.by ?? "")"
        case .parked: return "parked: \(line.task.waiting?.parking?.cause.rawValue ?? "")"
        case .failed where line.task.waiting != nil: return "failed: expired"
        case .running, .stuck:
            let lease = line.task.running
            if line.isLost { return "stuck, worker \(lease?.owner ?? 0) died" }
            let percent = line.fraction.map { " \(Int($0 * 100))%" } ?? ""
            return "\(line.display.rawValue)\(percent), worker \(lease?.owner ?? 0)"
        default: return line.display.rawValue
        }
    }

    package static func blocker(_ blocker: Blocker, names: TaskNames) -> String {
        names.text(blocker.text) + (blocker.fix.map { "  (\(names.offer($0)))" } ?? "")
    }

    /// Each task of a chain with its blockers. The first has its schedule and other facts too.
    package static func why(
        _ chain: [TaskLine], facts: [String] = [], names: TaskNames
    ) -> [String] {
        let made = chain.first?.task.scheduled.map { ["made by \($0.sentence)"] } ?? []
        return chain.prefix(1).flatMap { why($0, names) + (made + facts).map { "  \($0)" } }
            + chain.dropFirst().flatMap { why($0, names) }
    }

    private static func why(_ line: TaskLine, _ names: TaskNames) -> [String] {
        let head = "\(names.name(line.task.id)) \(line.task.type): "
        guard line.task.waiting != nil || line.isLost || !line.blockers.isEmpty else {
            return [head + state(line, names: names)]
                + failure(line, names: names) + stuck(line, names: names)
        }
        guard !line.blockers.isEmpty else { return [head + "nothing keeps it from running"] }
        return [head + state(line, names: names)]
            + line.blockers.map { "  \(blocker($0, names: names))" }
    }

    /// The whole error of a task that was given up, and the command that makes it wait.
    private static func failure(_ line: TaskLine, names: TaskNames) -> [String] {
        let task = line.task
        guard case .failed = task.state, let error = task.error else { return [] }
        let way = "  sluice retry \(names.word(task.id)) makes it wait again"
        return error.split(separator: "\n").map { "  \($0)" } + (line.isPast ? [] : [way])
    }

    /// The command that ends a run that takes too long.
    private static func stuck(_ line: TaskLine, names: TaskNames) -> [String] {
        guard line.display == .stuck, !line.isLost, !line.isPast else { return [] }
        return ["  sluice cancel \(names.word(line.task.id)) asks it to stop, then parks it"]
    }
}

extension QueueTask {
    /// The last error, or the reason of the failure.
    package var error: String? {
        if let lastError { return lastError }
        if case .failed(let failure) = state { return failure.reason }
        return nil
    }
}

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
