import SluiceControl
import SluiceModel
import SluiceTerminalUI

/// Taking back, and bringing again: at once what was done in this console to a few tasks, after a
/// question everything else (D9, K9).
extension ConsoleState {
    private static let ownLimit = 1000

    /// Takes back the newest verb of this console that stands, or brings its newest undo again,
    /// whatever others did meanwhile; where nothing of it is left, what the person did elsewhere.
    /// While another is on its way it is held back: which verb is the last is known after that.
    mutating func takeBack(_ id: Action.ID) {
        guard !pending.values.contains(where: { $0.verb?.takesBack == true }) else {
            return heldTakeBacks.append(id)
        }
        if id == .undo, let reason = ownFinal {
            ownFinal = nil
            message = .refusal("\(reason); \(key(.undo)) again is about what was done before it")
            return
        }
        guard id == .redo else { return start(.undo(event: nil, newestOf: ownEvents)) }
        start(ownUndos.last.map { .undo(event: $0) } ?? .redo)
    }

    /// Remembers what was done here, and what of it was taken back. A new verb ends what a redo
    /// could bring.
    mutating func noteOwn(_ answer: Answer) {
        if let takenBack = answer.takenBack, answer.stop == nil {
            ownEvents.removeAll { $0 == takenBack.event }
            ownUndos.removeAll { $0 == takenBack.event }
        }
        let undos = ownUndos
        noteOwn(answer.undo)
        ownUndos = answer.takenBack == nil ? [] : undos
        if let takenBack = answer.takenBack, !takenBack.isRedo { ownUndos.append(takenBack.entry) }
    }

    /// An undo that cannot be brought again, since somebody else did so, gives way to others. What
    /// the next one is about the person may not know.
    mutating func noteRefused(_ verb: Verb?, _ error: QueueError) {
        guard case .undo(let event, _)? = verb, [.notLegal, .changed].contains(error.code) else {
            return
        }
        wasUndoRefused = true
        guard let event else { return }
        ownUndos.removeAll { $0 == event }
    }

    /// Remembers a verb that was done here last and cannot be taken back; other systems keep what
    /// they need for it.
    mutating func noteFinal(_ verb: Verb) {
        guard scene?.queue?.system == nil else { return }
        ownFinal = "\(verb.name) cannot be taken back"
    }

    /// Remembers a verb as one that was done here.
    mutating func noteOwn(_ event: Int64?) {
        guard let event else { return }
        (ownFinal, wasUndoRefused) = (nil, false)
        ownEvents = ownEvents.suffix(Self.ownLimit) + [event]
        ownUndos = []
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
        let isAnother = wasUndoRefused && !takenBack.isRedo
        let asks = isElsewhere(takenBack) || answer.touchesMany || isAnother
        wasUndoRefused = false
        guard asks else { return commit(named) }
        heldTakeBacks = []
        ask(named, answer, .key)
    }

    /// Whether it is not known that the person did it here.
    private func isElsewhere(_ takenBack: Answer.TakenBack) -> Bool {
        !takenBack.isRedo && !ownEvents.contains(takenBack.event)
    }

    /// What a question about it says below its title.
    func origin(_ takenBack: Answer.TakenBack, _ answer: Answer) -> [StyledLine] {
        var lines: [StyledLine] = []
        if isElsewhere(takenBack) {
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
        guard verb?.takesBack == true, !heldTakeBacks.isEmpty else { return }
        takeBack(heldTakeBacks.removeFirst())
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
