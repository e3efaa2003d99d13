import SluiceControl
import SluiceModel
import SluiceTerminalUI

/// Taking back, and bringing again: at once what was done in this console to a few tasks, after a
/// question everything else (D9, K9).
extension ConsoleState {
    /// Remembers a verb as one that was done here.
    mutating func noteOwn(_ event: Int64?) {
        if let event { ownEvents.insert(event) }
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
        guard isElsewhere(takenBack, named) || answer.touchesMany else { return commit(named) }
        heldTakeBacks = []
        ask(named, answer, .key)
    }

    /// Whether it is not known that the person did it here. An undo leaves no number here.
    private func isElsewhere(_ takenBack: Answer.TakenBack, _ verb: Verb) -> Bool {
        verb != .redo && !ownEvents.contains(takenBack.event)
    }

    /// What a question about it says below its title.
    func origin(
        _ takenBack: Answer.TakenBack, of verb: Verb, _ answer: Answer
    ) -> [StyledLine] {
        var lines: [StyledLine] = []
        if isElsewhere(takenBack, verb) {
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

    /// Holds one back while another is on its way: which verb is the last is known after that.
    mutating func waitsToTakeBack(_ verb: Verb) -> Bool {
        guard verb.takesBack, pending.values.contains(where: { $0.verb?.takesBack == true })
        else { return false }
        heldTakeBacks.append(verb)
        return true
    }

    /// Goes on with those that were held back.
    mutating func takeBackNext(after verb: Verb?) {
        guard verb?.takesBack == true, !heldTakeBacks.isEmpty else { return }
        start(heldTakeBacks.removeFirst())
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
