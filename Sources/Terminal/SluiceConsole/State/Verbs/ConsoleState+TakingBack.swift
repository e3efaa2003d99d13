import SluiceControl
import SluiceModel
import SluiceTerminalUI

/// Taking back, and bringing again: at once what was done in this console to a few tasks, after a
/// question everything else (D9, K9).
extension ConsoleState {
    /// Takes back the newest verb of this console that stands, or brings its newest undo again,
    /// whatever others did meanwhile; where nothing of it is left, what the person did elsewhere.
    /// While another is on its way it is held back: which verb is the last is known after that.
    mutating func takeBack(_ id: Action.ID) {
        if underWay.hold(id) { return }
        if id == .undo, let reason = ownVerbs.takeFinalReason() {
            message = .refusal("\(reason); \(key(.undo)) again is about what was done before it")
            return
        }
        start(id == .redo ? ownVerbs.redo : ownVerbs.undo)
    }

    /// Remembers a verb that was done here last and cannot be taken back; other systems keep what
    /// they need for it.
    mutating func noteFinal(_ verb: Verb) {
        guard scene?.queue?.system == nil else { return }
        ownVerbs.noteFinal("\(verb.name) cannot be taken back")
    }

    /// What would be taken back is known now: asks, or does it.
    mutating func takeRehearsal(
        _ result: Result<Answer, QueueError>, ofTakingBack verb: Verb
    ) {
        // That nothing of it can be taken back is noted by the verb itself, and said by its error.
        guard case .success(let answer) = result, let takenBack = answer.takenBack else {
            return commit(verb)
        }
        // The event stays the one that was asked for, whatever others do meanwhile (K1).
        let named = verb == .redo ? verb : .undo(event: takenBack.event)
        let isUnsure = ownVerbs.asks(before: takenBack)
        guard isUnsure || answer.touchesMany else { return commit(named) }
        underWay.dropHeld()
        ask(named, answer, .key)
    }

    /// What a question about it says below its title.
    func origin(_ takenBack: Answer.TakenBack, _ answer: Answer) -> [StyledLine] {
        var lines: [StyledLine] = []
        if ownVerbs.isElsewhere(takenBack) {
            lines.append(StyledLine("it was not done in this console", .time))
        }
        let count = NumberText.tasks(answer.changed.count)
        if answer.stop != nil {
            lines.append(StyledLine("\(count) in its first slice, and the others", .time))
        } else if answer.touchesMany {
            lines.append(StyledLine("\(count) of it can be taken back", .time))
        }
        return lines
    }

    /// Goes on with those that were held back.
    mutating func takeBackNext(after verb: Verb?) {
        if let id = underWay.nextHeld(after: verb) { takeBack(id) }
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
    /// Whether it touches so many tasks that a person is asked (D10).
    fileprivate var touchesMany: Bool { stop != nil || changed.count + failed.count > 10 }
}
