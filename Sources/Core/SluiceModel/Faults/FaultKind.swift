extension Fault {
    /// The kinds of faults.
    public enum Kind: Hashable, Sendable {
        /// The handler is not called, and the attempt fails as if it had, with this error.
        case fail(String?)
        /// The same, and it waits so long before its next attempt.
        case retryAfter(milliseconds: Int64)
        /// Fails the task permanently without a call of the handler.
        case giveUp(String?)
        /// Times out the attempt without a call of the handler.
        case timeOut
        /// The handler is not called, and there is no network.
        case offline
        /// Delays the handler's call; the delay counts as time of the attempt.
        case delay(milliseconds: Int64)
        /// Kills the runner before the call of the handler.
        case crashBefore
        /// Kills the runner after the handler ended and before the result's commit.
        case crashAfter
        /// Calls the handler twice with one idempotency key; the second result counts.
        case twice
    }
}

extension Fault.Kind {
    /// Whether it kills the runner, with all its other attempts.
    package var isCrash: Bool { self == .crashBefore || self == .crashAfter }

    /// Its name, as JSON spells it.
    package var name: String {
        switch self {
        case .fail: "fail"
        case .retryAfter: "retryAfter"
        case .giveUp: "giveUp"
        case .timeOut: "timeOut"
        case .offline: "offline"
        case .delay: "delay"
        case .crashBefore: "crashBefore"
        case .crashAfter: "crashAfter"
        case .twice: "twice"
        }
    }

    package var word: String {
        switch self {
        case .retryAfter: "retry-after"
        case .giveUp: "give-up"
        case .timeOut: "time-out"
        case .crashBefore: "crash-before"
        case .crashAfter: "crash-after"
        case .fail, .offline, .delay, .twice: name
        }
    }

    /// The value after the word: an error or a time, if any.
    package var text: String? {
        switch self {
        case .fail(let text), .giveUp(let text): text
        case .retryAfter(let milliseconds), .delay(let milliseconds):
            DurationText.compact(milliseconds)
        case .timeOut, .offline, .crashBefore, .crashAfter, .twice: nil
        }
    }

    /// As a command says it: `retry-after=30s`.
    package var words: String { word + (text.map { "=\($0)" } ?? "") }

    /// The words of a command for all of them.
    package static let allWords = [
        "fail[=TEXT]", "retry-after=D", "give-up[=TEXT]", "time-out", "offline", "delay=D",
        "crash-before", "crash-after", "twice",
    ]

    /// Parses the words of a command; throws `badValue` for unknown ones.
    package init(_ words: String) throws(QueueError) {
        let parts = words.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let (word, text) = (String(parts[0]), parts.count > 1 ? String(parts[1]) : nil)
        switch (word, text) {
        case ("fail", let text): self = .fail(text)
        case ("give-up", let text): self = .giveUp(text)
        case ("time-out", nil): self = .timeOut
        case ("offline", nil): self = .offline
        case ("crash-before", nil): self = .crashBefore
        case ("crash-after", nil): self = .crashAfter
        case ("twice", nil): self = .twice
        case ("retry-after", let text?):
            self = .retryAfter(milliseconds: try Self.milliseconds(text, of: word, from: 0))
        case ("delay", let text?):
            self = .delay(milliseconds: try Self.milliseconds(text, of: word, from: 1))
        default:
            throw .badValue(
                "KIND", words, allowed: Self.allWords.joined(separator: ", "))
        }
        try check()
    }

    private static func milliseconds(
        _ text: String, of word: String, from least: Int64
    ) throws(QueueError) -> Int64 {
        guard let found = DurationText.milliseconds(text), found >= least else {
            throw .badValue(word, text, allowed: "a duration such as 500ms, 30s, 5m")
        }
        return found
    }

    /// The longest error text of a fault.
    package static let textBytes = 2000

    func check() throws(QueueError) {
        switch self {
        case .fail(let text?), .giveUp(let text?):
            guard text.isEmpty || text.utf8.count > Self.textBytes else { return }
            throw .badValue(
                word, text.isEmpty ? "" : "\(text.utf8.count) bytes",
                allowed: "an error of 1 to \(Self.textBytes) bytes, or none")
        case .retryAfter(let milliseconds) where milliseconds < 0,
            .delay(let milliseconds) where milliseconds < 1:
            throw .badValue(
                word, "\(milliseconds) ms", allowed: "a duration such as 500ms, 30s, 5m")
        default: break
        }
    }

    /// The error of an attempt into which it was injected and that no handler saw.
    package var error: String? {
        switch self {
        case .fail(let text), .giveUp(let text): text ?? "injected failure"
        case .retryAfter: "injected: retry after \(text ?? "")"
        case .offline: "injected: no network"
        case .timeOut, .delay, .crashBefore, .crashAfter, .twice: nil
        }
    }
}
