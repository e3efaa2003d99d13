import SluiceControl
import SluiceModel
import SluiceTerminalUI

/// Undo and redo. A verb of this console on few tasks reverts immediately; others need confirmation
/// (D9, K9).
extension ConsoleState {
    /// Undoes this console's newest verb, or redoes its newest undo, even if others changed tasks
    /// since. Without one, undoes the person's verbs elsewhere. Waits while another undo runs,
    /// because its result decides which verb is the last.
    mutating func revert(_ id: Action.ID) {
        if underWay.hold(id) { return }
        if id == .undo, let reason = undoHistory.consumeFinalReason() {
            message = .refusal("\(reason); \(key(.undo)) again is about the change before it")
            return
        }
        start(id == .redo ? undoHistory.redo : undoHistory.undo)
    }

    /// Records a verb without undo. Other systems keep their undo data themselves.
    mutating func recordFinal(_ verb: Verb) {
        guard scene?.queue?.system == nil else { return }
        undoHistory.recordFinal("\(verb.name) cannot be undone")
    }

    /// Handles the rehearsal of an undo: asks for confirmation, or commits it.
    mutating func applyRehearsal(
        _ result: Result<Answer, QueueError>, ofTakingBack verb: Verb
    ) {
        // The verb itself reports and records that undo is impossible.
        guard case .success(let answer) = result, let takenBack = answer.takenBack else {
            return commit(verb)
        }
        // Keep the event of the question, even if others change tasks in between (K1).
        let named = verb == .redo ? verb : .undo(event: takenBack.event)
        let isUnsure = undoHistory.asks(before: takenBack)
        guard isUnsure || answer.touchesMany else { return commit(named) }
        underWay.dropHeld()
        ask(named, answer, .key)
    }

    /// The lines below the title of the question.
    func origin(_ takenBack: Answer.TakenBack, _ answer: Answer) -> [StyledLine] {
        var lines: [StyledLine] = []
        if undoHistory.isElsewhere(takenBack) {
            lines.append(StyledLine("it was not done in this console", .time))
        }
        let count = NumberText.tasks(answer.changed.count)
        if answer.stop != nil {
            lines.append(StyledLine("\(count) in its first slice, and the others", .time))
        } else if answer.touchesMany {
            lines.append(StyledLine("\(count) of it can be undone", .time))
        }
        return lines
    }

    /// Continues with the waiting undo requests.
    mutating func undoNext(after verb: Verb?) {
        if let id = underWay.nextHeld(after: verb) { revert(id) }
    }

    /// `14 of 15 tasks · undone by dana: 15 tasks deleted by dana`.
    func undone(_ answer: Answer) -> String {
        let all = answer.changed.count + answer.failed.count
        let count = "\(NumberText.grouped(answer.changed.count)) of \(NumberText.tasks(all))"
        return answer.failed.isEmpty
            ? names.text(answer.summary) : "\(count) · \(names.text(answer.summary))"
    }
}

extension Answer {
    /// Whether it affects enough tasks to require confirmation (D10).
    fileprivate var touchesMany: Bool { stop != nil || changed.count + failed.count > 10 }
}
