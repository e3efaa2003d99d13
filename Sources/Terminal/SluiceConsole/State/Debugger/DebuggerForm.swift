import SluiceControl
import SluiceModel
import SluiceTerminalUI

/// An input line that sets a part of the debugger, with its key, suggestions, hint, check and
/// effect. A new form is one file with such a value, and one line of `all`.
protocol DebuggerForm: Hashable, Sendable {
    /// The action whose key opens it.
    static var action: Action.ID { get }
    /// Whether a queue is enough for it, where no task is selected.
    static var takesQueue: Bool { get }
    /// Opens it for the selection, or does without.
    static func open(in state: inout ConsoleState)

    var label: String { get }
    /// The possible words.
    var hint: String { get }
    /// Whether its line has the words of a command with all its options.
    var hasOptions: Bool { get }
    /// The next or previous suggestion, with the line for it; nil without suggestions.
    func next(_ rows: Int, after line: String, in state: ConsoleState) -> (Self, String)?
    /// The tasks that the line is about, to be counted; nil for none. Throws if it is invalid.
    func filter(of line: String, in state: ConsoleState) throws(QueueError) -> TaskFilter?
    /// Does what the line says, and closes the question. Throws if it is invalid.
    func submit(_ line: String, in state: inout ConsoleState) throws(QueueError)
}

extension DebuggerForm {
    static var takesQueue: Bool { false }
    var label: String { Self.action.rawValue }
    var hasOptions: Bool { true }
}

enum DebuggerForms {
    /// All of them, in the order of the rows of view 8.
    static let all: [any DebuggerForm.Type] = [
        BreakPrompt.self, FaultPrompt.self, ClockPrompt.self, CheckpointPrompt.self,
        RecordPrompt.self,
    ]

    /// The form of an action, if it has one.
    static func named(_ id: Action.ID) -> (any DebuggerForm.Type)? {
        all.first { $0.action == id }
    }
}

/// A form of any kind in a question.
struct AnyDebuggerForm: Hashable, Sendable {
    let value: any DebuggerForm

    static func == (one: Self, other: Self) -> Bool { one.value.isSame(as: other.value) }

    func hash(into hasher: inout Hasher) { hasher.combine(value) }
}

extension DebuggerForm {
    fileprivate func isSame(as other: any DebuggerForm) -> Bool { other as? Self == self }
}

extension ConsoleState {
    mutating func ask(_ form: any DebuggerForm, _ line: String) {
        ask(Prompt(.form(AnyDebuggerForm(value: form)), text: line))
        promptEdited()
    }

    /// Replaces the input with the next or previous suggestion.
    mutating func choose(_ form: any DebuggerForm, _ rows: Int, in prompt: Prompt) {
        guard let (next, line) = form.chosen(rows, after: prompt.editor.text, in: self) else {
            return
        }
        var prompt = prompt
        prompt.question = .form(AnyDebuggerForm(value: next))
        prompt.editor.replace(with: line)
        modal = .prompt(prompt)
        promptEdited()
    }

    /// Reports an error in the line of a form immediately, or counts the matches.
    mutating func check(_ form: any DebuggerForm, _ prompt: inout Prompt) {
        prompt.counting = nil
        do throws(QueueError) {
            guard let filter = try form.filter(of: prompt.editor.text, in: self) else { return }
            // It holds for every queue, unless it names one.
            let count = CountRequest(queue: filter.queue, filter: filter)
            prompt.counting = count
            send(.count(count))
        } catch {
            prompt.note = error.description
            prompt.isError = true
        }
    }
}

extension DebuggerForm {
    fileprivate func chosen(
        _ rows: Int, after line: String, in state: ConsoleState
    ) -> (any DebuggerForm, String)? {
        next(rows, after: line, in: state).map { ($0.0, $0.1) }
    }
}
