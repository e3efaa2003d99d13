import SluiceControl
import SluiceModel
import SluiceTerminalUI

/// Suggestions for the store's clock. Tab selects the next one, Shift-Tab the previous.
struct ClockPrompt: Hashable, Sendable {
    /// The words after `clock`. If a person has set the clock, the reset comes first.
    let lines: [String]
    /// The line that was chosen last.
    private(set) var choice = 0

    init(isSet: Bool) {
        let ends = isSet ? ["real", "freeze"] : ["freeze", "real"]
        lines = [ends[0], "+5m", "next", "rate 10", ends[1]]
    }

    var line: String { lines[choice] }

    /// Selects another line, and wraps around.
    mutating func step(_ rows: Int) {
        choice = (choice + rows + lines.count) % lines.count
    }

    /// The change that such a line asks for.
    static func request(_ line: String) throws(QueueError) -> ClockRequest {
        let arguments = try Arguments(.clock, line: line, saved: [:])
        guard let request = try ClockRequest(arguments) else {
            throw QueueError(
                .badValue, "the clock needs a word", fix: "Tab shows the choices")
        }
        return request
    }
}

/// The clock at the console: the line that `C` opens (G3).
extension ClockPrompt: DebuggerForm {
    static let action = Action.ID.clock

    static func open(in state: inout ConsoleState) {
        let choices = ClockPrompt(isSet: state.storeTime != .real)
        state.ask(choices, choices.line)
    }

    var hint: String {
        "Tab: \(lines.joined(separator: " ")); also -5m, 2026-12-24T18:00"
    }

    func next(_ rows: Int, after line: String, in state: ConsoleState) -> (Self, String)? {
        var choices = self
        choices.step(rows)
        return (choices, choices.line)
    }

    func filter(of line: String, in state: ConsoleState) throws(QueueError) -> TaskFilter? {
        _ = try Self.request(line)
        return nil
    }

    func submit(_ line: String, in state: inout ConsoleState) throws(QueueError) {
        let request = try Self.request(line)
        state.modal = nil
        state.start(.setClock(request))
    }
}
