import SluiceControl
import SluiceModel
import SluiceStore
import SluiceTerminalUI

/// The actions on a row of view 8.
extension ConsoleState {
    /// The row under the cursor of view 8.
    var selectedDebuggerRow: DebuggerRow? {
        guard isInDebugger, case .debugger(let key)? = cursors[.debugger]?.key
        else { return nil }
        return scene?.debugger.first { $0.key == key }
    }

    /// Whether view 8 is visible, without a page over it.
    var isInDebugger: Bool { view == .debugger && page == nil }

    /// Why an action on a task or a queue cannot be done there: none is shown, so it is about the
    /// row.
    func debuggerReason(_ id: Action.ID) -> String? {
        if DebuggerForms.named(id)?.takesQueue == true {
            return selectedQueue == nil ? "no queue is there yet: there is nothing to stop" : nil
        }
        guard let row = selectedDebuggerRow else {
            return "nothing is selected here: 1 shows tasks and queues"
        }
        if case .recording = row, id == .delete, ownTape != nil { return nil }
        return row.reason(against: id)
    }

    /// Whether the action is about view 8, and was done.
    mutating func performOnDebugger(_ id: Action.ID) -> Bool {
        guard isInDebugger else { return false }
        guard let row = selectedDebuggerRow, debuggerReason(id) == nil else { return false }
        switch (id, row) {
        case (.delete, .recording): endRecording()
        case (.delete, .checkpoint(let shown)): askToForget(shown.checkpoint.name)
        case (.delete, _): if let verb = row.removal { start(verb) }
        case (.detail, .clock): ClockPrompt.open(in: &self)
        case (.detail, .checkpoint(let shown)):
            startCommand(ShellWord.command("diff", shown.checkpoint.name))
        case (.detail, _): if let filter = row.filter { list(filter) }
        case (.retry, .checkpoint(let shown)): start(.restore(shown.checkpoint.name))
        case (.run, _): if let queue = row.stopped { start(Verb.goOn(queue: queue)) }
        default: return false
        }
        return true
    }

    /// Ask first, because undo restores a checkpoint only between an older and a newer one.
    private mutating func askToForget(_ name: String) {
        message = nil
        modal = .confirm(
            Confirmation(
                verb: .removeCheckpoints([name]), title: "forget the checkpoint \(name)?",
                lines: [
                    StyledLine("undo brings it back only between an older and a newer one", .quiet)
                ], answer: .key))
    }

    /// Lists what a row is about, in its queue or in all.
    private mutating func list(_ filter: TaskFilter) {
        if filter.queue == nil, scene?.listsAll ?? false { selectAll() }
        show(.inventory)
        setFilter(filter)
    }
}

extension DebuggerRow {
    /// Why an action does not apply to the row; nil if it does.
    func reason(against id: Action.ID) -> String? {
        switch (id, self) {
        case (.delete, .recording(let recording)), (.detail, .recording(let recording)):
            "a recording ends with its process, \(recording.recorder); its tape is opened then"
        case (.delete, _), (.detail, _), (.retry, .checkpoint): nil
        case (.retry, _): "a \(word) is not put back: that is for a checkpoint"
        case (.run, _): stopped == nil ? "the \(word) stops no queue" : nil
        default: "that is for a task or a queue: 1 shows them"
        }
    }

    /// The kind as a word.
    private var word: String { String(name.prefix { $0 != " " }) }
}
