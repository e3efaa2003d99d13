import SluiceControl
import SluiceModel
import SluiceTerminalUI

/// Suggested filters for a fault on a row, narrowest first. Tab selects the next one, Shift-Tab the
/// previous. The text after the filter stays.
struct FaultPrompt: Hashable, Sendable {
    /// The filters, as a shell reads them.
    let filters: [String]
    /// The filter that was chosen last.
    private(set) var choice = 0

    /// This task, its type in its queue, its group, its queue: from the task on.
    init(_ task: QueueTask) {
        filters = BreakPrompt.filters(of: task).map { ShellWord.quoted($0.description) }
    }

    init(queue: String) {
        filters = [ShellWord.quoted(BreakPrompt.filter(.queue, queue).description)]
    }

    /// The initial input.
    var line: String { "\(filters[choice]) fail" }

    /// Selects another filter, and wraps around.
    mutating func step(_ rows: Int) { choice = (choice + rows + filters.count) % filters.count }

    /// The input with its first word replaced by the chosen filter.
    func line(in text: String) -> String {
        ([filters[choice]] + ShellLine(text).all.dropFirst().map(ShellWord.quoted))
            .joined(separator: " ")
    }

    /// The fault that such a line asks for.
    static func request(
        _ line: String, saved: [String: String]
    ) throws(QueueError) -> FaultRequest {
        try FaultRequest(Arguments(.setFault, line: line, saved: saved))
    }
}

/// Faults at the console: the line that `f` opens (G2).
extension ConsoleState {
    mutating func askForFault() {
        guard
            let choices = selectedLine.map({ FaultPrompt($0.task) })
                ?? selectedQueue.map(FaultPrompt.init(queue:))
        else { return }
        ask(Prompt(.fault(choices), text: choices.line))
        promptEdited()
    }

    /// Replaces the filter of the input with the next or previous suggestion.
    mutating func chooseFault(_ choices: FaultPrompt, _ rows: Int, in prompt: Prompt) {
        var (choices, prompt) = (choices, prompt)
        choices.step(rows)
        prompt.question = .fault(choices)
        prompt.editor.replace(with: choices.line(in: prompt.editor.text))
        modal = .prompt(prompt)
        promptEdited()
    }
}
