import SluiceControl
import SluiceModel

/// The verbs and commands that were sent and not answered yet, each by its token, and what waits
/// for their end. A token is never used twice, so a late answer finds nobody (K1).
struct VerbsUnderWay: Equatable, Sendable {
    /// One that was sent.
    struct Sent: Hashable, Sendable {
        /// As a command, without the program.
        var command: String
        /// Nil for a step and for a line of the command prompt.
        var verb: Verb?
        /// How far it is; nil for what is one commit.
        var course: Course?
        /// Since when it goes on, or may do so, where it is a step.
        var steppedSince: Timestamp?
    }

    /// How far a verb on many tasks has come.
    struct Course: Hashable, Sendable {
        var progress: BulkProgress
        var secondsLeft: Int?
        /// Whether the person asked it to stop.
        var isStopping = false
    }

    /// What the person wants who pressed `q` while a bulk goes on.
    enum Leaving: Hashable, Sendable {
        /// They were told that it would end the bulk.
        case asked
        /// The bulk is stopping; then the program ends.
        case decided
    }

    /// By their tokens.
    private(set) var sent: [Int: Sent] = [:]
    /// The newest token; 0 where nothing was sent.
    private(set) var lastToken = 0
    /// The token of the first step that executed something.
    private(set) var firstStepToken: Int?
    /// Undos and redos that wait until the one on its way is done.
    private var heldTakeBacks: [Action.ID] = []
    var leaving: Leaving?

    /// Nothing is under way; tokens go on behind `token`.
    init(after token: Int = 0) { lastToken = token }

    var isEmpty: Bool { sent.isEmpty }
    /// Whether one is under way of which the message line is still to tell.
    var awaitsAnswer: Bool { sent.values.contains { $0.course == nil } }

    /// Sends one; gives its token.
    mutating func send(
        _ command: String, verb: Verb? = nil, steppedSince: Timestamp? = nil
    ) -> Int {
        lastToken += 1
        sent[lastToken] = Sent(command: command, verb: verb, steppedSince: steppedSince)
        return lastToken
    }

    /// One was answered; nil where nobody waits for that answer.
    mutating func end(_ token: Int) -> Sent? { sent.removeValue(forKey: token) }
}

/// Verbs on many tasks (D10).
extension VerbsUnderWay {
    private var bulkToken: Int? { sent.filter { $0.value.course != nil }.keys.min() }

    /// The bulk that is under way, the first where there are several.
    var bulk: Sent? { bulkToken.flatMap { sent[$0] } }

    /// A bulk came further; gives its command, or nil where nobody waits for it.
    mutating func note(_ progress: BulkProgress, secondsLeft: Int?, of token: Int) -> String? {
        guard let former = sent[token] else { return nil }
        sent[token]?.course = Course(
            progress: progress, secondsLeft: secondsLeft,
            isStopping: former.course?.isStopping ?? false)
        return former.command
    }

    /// The bulk is to stop between two slices; gives its token, or nil where there is none that was
    /// not asked already.
    mutating func stopBulk() -> Int? {
        guard let token = bulkToken, sent[token]?.course?.isStopping == false else { return nil }
        sent[token]?.course?.isStopping = true
        return token
    }
}

/// Steps, which are done one after the other (D2).
extension VerbsUnderWay {
    /// Since when a step goes on.
    var steppingSince: Timestamp? { sent.values.compactMap(\.steppedSince).min() }

    /// A step was answered, and executed something or not; the next one begins.
    mutating func endStep(_ token: Int, executed: Bool, at now: Timestamp) -> Sent? {
        guard let former = end(token) else { return nil }
        for (other, one) in sent where one.steppedSince != nil {
            sent[other]?.steppedSince = now
        }
        if firstStepToken == nil, executed { firstStepToken = token }
        return former
    }
}

/// Undo and redo, each of which is about what the one before it left (K9).
extension VerbsUnderWay {
    /// Holds an undo or redo back while another is on its way; says whether it did.
    mutating func hold(_ id: Action.ID) -> Bool {
        guard sent.values.contains(where: { $0.verb?.takesBack == true }) else { return false }
        heldTakeBacks.append(id)
        return true
    }

    /// The next one that was held back, once `verb` is done.
    mutating func nextHeld(after verb: Verb?) -> Action.ID? {
        guard verb?.takesBack == true, !heldTakeBacks.isEmpty else { return nil }
        return heldTakeBacks.removeFirst()
    }

    /// Forgets what was held back: the person is asked first.
    mutating func dropHeld() { heldTakeBacks = [] }
}
