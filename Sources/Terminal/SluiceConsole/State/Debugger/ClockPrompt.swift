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

    /// The chosen line.
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
extension ConsoleState {
    mutating func askForClock() {
        let choices = ClockPrompt(isSet: storeTime != .real)
        ask(Prompt(.clock(choices), text: choices.line))
    }

    mutating func setClock(_ line: String) throws(QueueError) {
        let request = try ClockPrompt.request(line)
        modal = nil
        start(.setClock(request))
    }

    /// Replaces the input with the next or previous suggestion.
    mutating func chooseClock(_ choices: ClockPrompt, _ rows: Int, in prompt: Prompt) {
        var (choices, prompt) = (choices, prompt)
        choices.step(rows)
        prompt.question = .clock(choices)
        prompt.editor.replace(with: choices.line)
        modal = .prompt(prompt)
        promptEdited()
    }
}
