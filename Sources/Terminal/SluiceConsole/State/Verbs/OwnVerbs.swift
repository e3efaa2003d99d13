import SluiceControl
import SluiceModel

/// What was done in this console, so that `z` takes it back and `Z` brings it again whatever others
/// do meanwhile (D9, K9).
struct OwnVerbs: Hashable, Sendable {
    /// The verbs that were done here and not taken back here, by their numbers in the journal; the
    /// oldest ones are forgotten.
    private(set) var events: [Int64] = []
    /// The undos that were done here since the last verb, likewise.
    private var undos: [Int64] = []
    /// Why `z` cannot take back what was done last.
    private var finalReason: String?
    /// Whether an undo was refused, so that the next one is about a verb before it.
    private var wasUndoRefused = false

    private static let limit = 1000

    /// Taking back the newest of these verbs that stands; where there is none, what the person did
    /// elsewhere.
    var undo: Verb { .undo(event: nil, newestOf: events) }

    /// Bringing again what was taken back here last; where nothing was, what was elsewhere.
    var redo: Verb { undos.last.map { .undo(event: $0) } ?? .redo }

    /// Why what was done last cannot be taken back; it is said once, and the next undo is about
    /// what was done before.
    mutating func takeFinalReason() -> String? {
        defer { finalReason = nil }
        return finalReason
    }

    /// A verb was done, or one was taken back. A new verb ends what a redo could bring.
    mutating func note(_ answer: Answer) {
        if let takenBack = answer.takenBack, answer.stop == nil {
            events.removeAll { $0 == takenBack.event }
            undos.removeAll { $0 == takenBack.event }
        }
        let former = undos
        note(event: answer.undo)
        undos = answer.takenBack == nil ? [] : former
        if let takenBack = answer.takenBack, !takenBack.isRedo { undos.append(takenBack.entry) }
    }

    /// A verb of this number was done; nil for one that has none.
    mutating func note(event: Int64?) {
        guard let event else { return }
        (finalReason, wasUndoRefused) = (nil, false)
        events = events.suffix(Self.limit) + [event]
        undos = []
    }

    /// What was done last cannot be taken back.
    mutating func noteFinal(_ reason: String) { finalReason = reason }

    /// An undo that cannot be brought again, since somebody else did so, gives way to others. What
    /// the next one is about the person may not know.
    mutating func noteRefused(_ verb: Verb?, _ code: QueueError.Code) {
        guard case .undo(let event, _)? = verb, [.notLegal, .changed].contains(code) else { return }
        wasUndoRefused = true
        guard let event else { return }
        undos.removeAll { $0 == event }
    }

    /// Whether the person is asked before this is taken back: it is not known that it was done
    /// here, or it is not what a refused undo was about.
    mutating func asks(before takenBack: Answer.TakenBack) -> Bool {
        defer { wasUndoRefused = false }
        return isElsewhere(takenBack) || wasUndoRefused && !takenBack.isRedo
    }

    /// Whether it is not known that the person did it here.
    func isElsewhere(_ takenBack: Answer.TakenBack) -> Bool {
        !takenBack.isRedo && !events.contains(takenBack.event)
    }
}
