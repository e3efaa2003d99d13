import SluiceControl
import SluiceModel

/// The verbs of this console, so that `z` undoes them and `Z` redoes them even if others changed
/// tasks since (D9, K9).
struct UndoHistory: Hashable, Sendable {
    /// The verbs that were done here and not taken back here, by their numbers in the journal; the
    /// oldest ones are forgotten.
    private(set) var events: [Int64] = []
    /// The undos that were done here since the last verb, likewise.
    private var undos: [Int64] = []
    /// The reason why `z` cannot undo the last verb.
    private var finalReason: String?
    /// Whether an undo was refused, so that the next one is about a verb before it.
    private var wasUndoRefused = false

    private static let limit = 1000

    /// Undoes the newest of these verbs that is still in effect. Without one, undoes the person's
    /// verbs elsewhere.
    var undo: Verb { .undo(event: nil, newestOf: events) }

    /// Redoes this console's last undo, or otherwise the last one elsewhere.
    var redo: Verb { undos.last.map { .undo(event: $0) } ?? .redo }

    /// Returns the reason against undoing the last verb, and clears it. The next undo then affects
    /// the verb before it.
    mutating func consumeFinalReason() -> String? {
        defer { finalReason = nil }
        return finalReason
    }

    /// A verb was done, or one was taken back. A new verb ends what a redo could bring.
    mutating func record(_ answer: Answer) {
        if let takenBack = answer.takenBack, answer.stop == nil {
            events.removeAll { $0 == takenBack.event }
            undos.removeAll { $0 == takenBack.event }
        }
        let former = undos
        record(event: answer.undo)
        undos = answer.takenBack == nil ? [] : former
        if let takenBack = answer.takenBack, !takenBack.isRedo { undos.append(takenBack.entry) }
    }

    /// A verb of this number was done; nil for one that has none.
    mutating func record(event: Int64?) {
        guard let event else { return }
        (finalReason, wasUndoRefused) = (nil, false)
        events = events.suffix(Self.limit) + [event]
        undos = []
    }

    /// Records that the last verb cannot be undone.
    mutating func recordFinal(_ reason: String) { finalReason = reason }

    /// Drops an undo that cannot be redone because another process did so. The person may not know
    /// the target of the next undo.
    mutating func recordRefused(_ verb: Verb?, _ code: QueueError.Code) {
        guard let undo = verb?.order as? UndoVerb, [.notLegal, .changed].contains(code)
        else { return }
        wasUndoRefused = true
        guard let event = undo.event else { return }
        undos.removeAll { $0 == event }
    }

    /// Whether to ask before this undo: another console may have done the verb, or it differs from
    /// the target of a refused undo.
    mutating func asks(before takenBack: Answer.TakenBack) -> Bool {
        defer { wasUndoRefused = false }
        return isElsewhere(takenBack) || wasUndoRefused && !takenBack.isRedo
    }

    /// Whether it is not known that the person did it here.
    func isElsewhere(_ takenBack: Answer.TakenBack) -> Bool {
        !takenBack.isRedo && !events.contains(takenBack.event)
    }
}
