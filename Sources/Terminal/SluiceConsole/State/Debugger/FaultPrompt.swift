import SluiceControl
import SluiceModel
import SluiceTerminalUI

/// What a fault from a row may be about, the narrowest first; Tab goes on, Shift-Tab back, and what
/// stands behind the filter stays.
struct FaultPrompt: Hashable, Sendable {
    /// The filters, as a shell reads them.
    let filters: [String]
    /// The filter that was chosen last.
    private(set) var choice = 0

    /// This task, its type in its queue, its group, its queue: from the task on.
    init(_ task: QueueTask) {
        filters = BreakPrompt.filters(of: task).map { ShellWord.quoted($0.description) }
    }

    /// A queue.
    init(queue: String) {
        filters = [ShellWord.quoted(BreakPrompt.filter(.queue, queue).description)]
    }

    /// The line that is typed first.
    var line: String { "\(filters[choice]) fail" }

    /// Goes on to another filter, round and round.
    mutating func step(_ rows: Int) { choice = (choice + rows + filters.count) % filters.count }

    /// What is typed, with the chosen filter in the place of its first word.
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

    /// Puts the next, or the former, of the filters in the place of what is typed.
    mutating func chooseFault(_ choices: FaultPrompt, _ rows: Int, in prompt: Prompt) {
        var (choices, prompt) = (choices, prompt)
        choices.step(rows)
        prompt.question = .fault(choices)
        prompt.editor.replace(with: choices.line(in: prompt.editor.text))
        modal = .prompt(prompt)
        promptEdited()
    }
}
