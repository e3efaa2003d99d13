extension Fault {
    /// What can be injected into an attempt.
    public enum Kind: Hashable, Sendable {
        /// The handler is not called, and the attempt fails as if it had, with this error.
        case fail(String?)
        /// The same, and it waits so long before its next attempt.
        case retryAfter(milliseconds: Int64)
        /// The handler is not called, and the task is given up.
        case giveUp(String?)
        /// The handler is not called, and the time of the attempt is up at once.
        case timeOut
        /// The handler is not called, and there is no network.
        case offline
        /// The handler is called after this time, which counts to the attempt's.
        case delay(milliseconds: Int64)
        /// The runner dies before the handler is called.
        case crashBefore
        /// The runner dies when the handler has ended, before that is written.
        case crashAfter
        /// The handler is called twice under one idempotency key; the second call counts.
        case twice
    }
}

extension Fault.Kind {
    /// Whether it kills the runner, with whatever else that runs.
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

    /// The word of a command.
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

    /// What stands behind the word: an error or a time; nil where nothing does.
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

    /// Reads the words of a command; throws `badValue` for what is none of them.
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

    /// The longest error that one may carry.
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
