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
        try FaultRequest(Arguments(action, line: line, saved: saved))
    }
}

/// Faults at the console: the line that `f` opens (G2).
extension FaultPrompt: DebuggerForm {
    static let action = Action.ID.setFault
    static let takesQueue = true

    static func open(in state: inout ConsoleState) {
        guard
            let choices = state.selectedLine.map({ FaultPrompt($0.task) })
                ?? state.selectedQueue.map(FaultPrompt.init(queue:))
        else { return }
        state.ask(choices, choices.line)
    }

    var hint: String {
        "Tab widens; fail=TEXT give-up time-out offline delay=2s twice --times"
    }

    func next(_ rows: Int, after line: String, in state: ConsoleState) -> (Self, String)? {
        var choices = self
        choices.step(rows)
        return (choices, choices.line(in: line))
    }

    func filter(of line: String, in state: ConsoleState) throws(QueueError) -> TaskFilter? {
        try Self.request(line, saved: state.savedFilters).filter
    }

    func submit(_ line: String, in state: inout ConsoleState) throws(QueueError) {
        let request = try Self.request(line, saved: state.savedFilters)
        state.modal = nil
        state.start(.setFault(request))
    }
}
