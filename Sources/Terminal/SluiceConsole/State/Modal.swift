import SluiceControl
import SluiceModel
import SluiceTerminalUI

/// What asks the person something; until it is answered its target cannot change (K1).
enum Modal: Hashable, Sendable {
    case prompt(Prompt)
    case confirm(Confirmation)
}

/// A line that the person types.
struct Prompt: Hashable, Sendable {
    /// What is asked, and for what.
    enum Question: Hashable, Sendable {
        case pauseReason(VerbScope)
        case pauseTime(VerbScope, reason: String)
        case postpone([TaskTarget])
        case move([TaskTarget])
        case enqueue(queue: String)
        case setting(String, QueueSetting)
        case filter
        case command
    }
    var question: Question
    var editor: LineEditor
    /// Why the line was not taken, or what it could be completed to.
    var note: String?
    var isError = false

    init(_ question: Question, text: String = "", history: [String] = []) {
        self.question = question
        editor = LineEditor(text, history: history)
    }

    var label: String {
        switch question {
        case .pauseReason: "reason"
        case .pauseTime: "for how long"
        case .postpone: "not before"
        case .move: "move"
        case .enqueue(let queue): "enqueue \(queue)"
        case .setting(_, let setting): setting.name
        case .filter: "/"
        case .command: ":"
        }
    }

    var hint: String {
        switch question {
        case .pauseReason: "why, for everybody who looks; may be empty"
        case .pauseTime: "15m, 2h; empty: until resumed"
        case .postpone(let targets) where targets.count > 1:
            "+5m, 2h, or spread from there: 1h over 10m"
        case .postpone: "+5m, 2h, 2026-01-31T14:00:00Z"
        case .move: "first, last, before #n, after #n, queue NAME"
        case .enqueue: "TYPE [PAYLOAD]"
        case .setting(_, let setting): setting.allowed
        case .filter: "state: type: queue: group: id:   - before a word: not"
        case .command: "any command, Tab completes"
        }
    }
}

/// A question in proportion to the damage (K9, D10).
struct Confirmation: Hashable, Sendable {
    /// What answers yes.
    enum Answer: Hashable, Sendable {
        case key
        case number(Int, LineEditor)
    }
    var verb: Verb
    /// What would be done.
    var title: String
    /// What follows from it.
    var lines: [StyledLine]
    var answer: Answer

    /// The answer that a number of tasks asks for: `y` above 10, the number above 1,000.
    static func answer(forCount count: Int) -> Answer? {
        switch count {
        case ...10: nil
        case ...1000: .key
        default: .number(count, LineEditor())
        }
    }
}

/// The line under the activity: the command that would have done the same, and what came of it.
struct MessageLine: Hashable, Sendable {
    var command: String?
    var text: String
    var role: Role

    static func note(_ text: String) -> MessageLine { MessageLine(text: text, role: .quiet) }

    static func refusal(_ text: String) -> MessageLine { MessageLine(text: text, role: .time) }
}
