import SluiceControl
import SluiceModel
import SluiceTerminalUI

/// The line that takes a checkpoint, with a name for it: when it is (G5).
struct CheckpointPrompt: DebuggerForm {
    static let action = Action.ID.takeCheckpoint

    static func open(in state: inout ConsoleState) {
        let time = TimeText.rfc3339(state.now).dropFirst(11).prefix(8).filter { $0 != ":" }
        state.ask(CheckpointPrompt(), "at-\(time)")
    }

    var hint: String { "its name; it is of the whole store" }
    var hasOptions: Bool { false }

    func next(_ rows: Int, after line: String, in state: ConsoleState) -> (Self, String)? { nil }

    func filter(of line: String, in state: ConsoleState) throws(QueueError) -> TaskFilter? { nil }

    func submit(_ line: String, in state: inout ConsoleState) throws(QueueError) {
        try state.submitCommand(ConsoleState.trimmed("checkpoint \(line)"))
    }
}
