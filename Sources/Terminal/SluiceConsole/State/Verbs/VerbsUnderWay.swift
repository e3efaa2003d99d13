import SluiceControl
import SluiceModel

/// The sent verbs and commands without an answer, by token, and the requests that wait for them.
/// Tokens are unique, so a late answer is ignored (K1).
struct VerbsUnderWay: Equatable, Sendable {
    struct Sent: Hashable, Sendable {
        /// As a command, without the program.
        var command: String
        /// Nil for a step and for a line of the command prompt.
        var verb: Verb?
        /// Its progress; `nil` for a single commit.
        var course: Course?
        /// The start of a step; `nil` for other verbs.
        var steppedSince: Timestamp?
    }

    /// How far a verb on many tasks has come.
    struct Course: Hashable, Sendable {
        var progress: BulkProgress
        var secondsLeft: Int?
        /// Whether the person asked it to stop.
        var isStopping = false
    }

    /// The state of a `q` during a bulk verb.
    enum Leaving: Hashable, Sendable {
        /// The console warned that quitting ends the bulk verb.
        case asked
        /// The bulk is stopping; then the program ends.
        case decided
    }

    private(set) var sent: [Int: Sent] = [:]
    /// The newest token; 0 before the first.
    private(set) var lastToken = 0
    /// The token of the first step that executed something.
    private(set) var firstStepToken: Int?
    /// Undos and redos that wait until the one on its way is done.
    private var heldTakeBacks: [Action.ID] = []
    var leaving: Leaving?

    /// No verb is running. New tokens follow `token`.
    init(after token: Int = 0) { lastToken = token }

    var isEmpty: Bool { sent.isEmpty }
    /// Whether an answer for the message line is pending.
    var awaitsAnswer: Bool { sent.values.contains { $0.course == nil } }

    /// Sends one; gives its token.
    mutating func send(
        _ command: String, verb: Verb? = nil, steppedSince: Timestamp? = nil
    ) -> Int {
        lastToken += 1
        sent[lastToken] = Sent(command: command, verb: verb, steppedSince: steppedSince)
        return lastToken
    }

    /// Removes an answered verb. `nil` if it was not pending.
    mutating func end(_ token: Int) -> Sent? { sent.removeValue(forKey: token) }
}

/// Verbs on many tasks (D10).
extension VerbsUnderWay {
    private var bulkToken: Int? { sent.filter { $0.value.course != nil }.keys.min() }

    /// The running bulk; the first of several.
    var bulk: Sent? { bulkToken.flatMap { sent[$0] } }

    /// Updates the progress of a bulk verb. Returns its command, or `nil` if it was not pending.
    mutating func record(_ progress: BulkProgress, secondsLeft: Int?, of token: Int) -> String? {
        guard let former = sent[token] else { return nil }
        sent[token]?.course = Course(
            progress: progress, secondsLeft: secondsLeft,
            isStopping: former.course?.isStopping ?? false)
        return former.command
    }

    /// Stops the bulk verb between two slices. Returns its token, or `nil` if none runs or it is
    /// already stopping.
    mutating func stopBulk() -> Int? {
        guard let token = bulkToken, sent[token]?.course?.isStopping == false else { return nil }
        sent[token]?.course?.isStopping = true
        return token
    }
}

/// Steps, which are done one after the other (D2).
extension VerbsUnderWay {
    /// The start of the earliest pending step.
    var steppingSince: Timestamp? { sent.values.compactMap(\.steppedSince).min() }

    /// Ends a step, and starts the time of the next one.
    mutating func endStep(_ token: Int, executed: Bool, at now: Timestamp) -> Sent? {
        guard let former = end(token) else { return nil }
        for (other, one) in sent where one.steppedSince != nil {
            sent[other]?.steppedSince = now
        }
        if firstStepToken == nil, executed { firstStepToken = token }
        return former
    }
}

/// Undo and redo. Each one depends on the result of the one before (K9).
extension VerbsUnderWay {
    /// Holds an undo or redo back while another is on its way; says whether it did.
    mutating func hold(_ id: Action.ID) -> Bool {
        guard sent.values.contains(where: { $0.verb?.order.takesBack == true }) else {
            return false
        }
        heldTakeBacks.append(id)
        return true
    }

    /// The next waiting request, after `verb` ended.
    mutating func nextHeld(after verb: Verb?) -> Action.ID? {
        guard verb?.order.takesBack == true, !heldTakeBacks.isEmpty else { return nil }
        return heldTakeBacks.removeFirst()
    }

    /// Drops waiting requests, because a question comes first.
    mutating func dropHeld() { heldTakeBacks = [] }
}
