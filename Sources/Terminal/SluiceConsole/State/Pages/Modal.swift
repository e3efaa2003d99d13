import SluiceControl
import SluiceModel
import SluiceTerminalUI

/// An open question. Its target cannot change until the person answers (K1).
enum Modal: Hashable, Sendable {
    case prompt(Prompt)
    case confirm(Confirmation)
    case stop(StopMenu)
    case columns(ColumnMenu)
}

/// The choice of what to stop and how, before the reason and the time.
struct StopMenu: Hashable, Sendable {
    struct Entry: Hashable, Sendable {
        var words: String
        var help: String
        var request: PauseRequest
    }
    /// The queue where the menu was opened; `nil` for all queues.
    let queue: String?
    /// The ways, the least first.
    let entries: [Entry]
    /// The one that Enter takes.
    var choice = 0

    /// The choices for a queue, or for the row of all queues.
    init(queue: String?) {
        self.queue = queue
        func request(
            _ scope: VerbScope, _ direction: Pause.Direction = .work, now: Bool = false
        ) -> PauseRequest {
            var request = PauseRequest(scope)
            (request.direction, request.stopsRunning) = (direction, now)
            return request
        }
        let all = Entry(
            words: "all queues", help: "running tasks finish", request: request(.store))
        let allNow = Entry(
            words: "all queues now", help: "running tasks are stopped, and wait again",
            request: request(.store, now: true))
        guard let queue else {
            entries = [all, allNow]
            return
        }
        entries = [
            Entry(
                words: "this queue, no new starts", help: "running tasks finish",
                request: request(.queue(queue))),
            Entry(
                words: "this queue now", help: "running tasks are stopped, and wait again",
                request: request(.queue(queue), now: true)),
            all,
            Entry(
                words: "new tasks",
                help: "enqueues are refused; waiting tasks start",
                request: request(.queue(queue), .enqueues)),
            allNow,
        ]
    }
}

/// A line that the person types.
struct Prompt: Hashable, Sendable {
    /// The question, with its target.
    enum Question: Hashable, Sendable {
        case pauseReason(PauseRequest)
        case pauseTime(PauseRequest)
        case findInHelp
        case findInText
        case postpone([TaskTarget])
        case move([TaskTarget])
        case enqueue(queue: String)
        case setting(String, QueueSetting)
        case filter
        /// A question for the log filter, with the filter typed so far.
        case log(LogSearch?)
        case form(AnyDebuggerForm)
        case command
    }
    var question: Question
    /// The subject in the label: a task, or a count.
    var subject: String
    var editor: LineEditor
    /// The error in the line, or the possible completions.
    var note: String?
    var isError = false
    /// Whether Tab was pressed on a payload path before the payloads were loaded.
    var awaitsPlaces = false
    /// The chosen row of the palette; `nil` while the line is empty.
    var choice: Int?
    /// The count for the filter being typed.
    var counting: CountRequest?

    init(
        _ question: Question, of subject: String = "", text: String = "", history: [String] = []
    ) {
        (self.question, self.subject) = (question, subject)
        editor = LineEditor(text, history: history)
    }

    /// Whether its line holds a command of the debugger with all that this takes.
    var isForm: Bool {
        if case .form(let form) = question { form.value.hasOptions } else { false }
    }

    var label: String {
        switch question {
        case .pauseReason(let request): "\(Self.words(request)): reason"
        case .pauseTime(let request): "\(Self.words(request)): for how long"
        case .postpone: "\(subject): not before"
        case .move: "move \(subject)"
        case .enqueue(let queue): "enqueue \(queue)"
        case .setting(_, let setting): setting.name
        case .filter, .log, .findInHelp, .findInText: "/"
        case .form(let form): form.value.label
        case .command: ":"
        }
    }

    /// The pause in words: `pause mail now`.
    private static func words(_ request: PauseRequest) -> String {
        let what =
            switch request.scope {
            case .queue(let name): name
            case .store: "all queues"
            }
        switch request.direction {
        case .enqueues: return "pause enqueues of \(what)"
        case .work, .both: return "pause \(what)\(request.stopsRunning ? " now" : "")"
        }
    }

    var hint: String {
        switch question {
        case .pauseReason: "for everybody who looks; may be empty"
        case .pauseTime: "15m, 2h; empty: until resumed"
        case .postpone(let targets) where targets.count > 1:
            "+5m, 2h, or spread from there: 1h over 10m"
        case .postpone: "+5m, 2h, 2026-01-31T14:00:00Z"
        case .move: "first, last, before #n, after #n, queue NAME"
        case .enqueue: "TYPE [PAYLOAD]"
        case .setting(_, let setting): setting.allowed
        case .filter:
            "words, state: type: session: text: attempts> payload.…"
                + (editor.text.isEmpty ? "   ? for help" : "")
        case .log: LogFilter.hint
        case .form(let form): form.value.hint
        case .findInHelp: "a key or a word of its help; empty: all"
        case .findInText: "to the next line that has it"
        case .command: "letters of an action, a queue or a command; Tab completes"
        }
    }
}

/// A question in proportion to the damage (K9, D10).
struct Confirmation: Hashable, Sendable {
    enum Answer: Hashable, Sendable {
        case key
        /// A text that is typed: how many tasks there are, or the name of a protected store.
        case typed(String, LineEditor)
    }
    /// The action after confirmation.
    enum Deed: Hashable, Sendable {
        case verb(Verb)
        /// The recording from a line after `record`.
        case record(String)
        /// The first change of another system's queues.
        case allow(CarefulChange)
        /// The first run of an own command.
        case own(OwnLaunch)

        var name: String {
            switch self {
            case .verb(let verb): verb.name
            case .record: "record"
            case .allow: "allow"
            case .own: "run"
            }
        }
    }
    var deed: Deed
    /// The action in question.
    var title: String
    var lines: [StyledLine]
    var answer: Answer

    init(_ deed: Deed, title: String, lines: [StyledLine], answer: Answer) {
        (self.deed, self.title, self.lines, self.answer) = (deed, title, lines, answer)
    }

    init(verb: Verb, title: String, lines: [StyledLine], answer: Answer) {
        self.init(.verb(verb), title: title, lines: lines, answer: answer)
    }

    /// The answer that a number of tasks asks for: `y` above 10, the number above 1,000.
    static func answer(forCount count: Int) -> Answer? {
        switch count {
        case ...10: nil
        case ...1000: .key
        default: .typed("\(count)", LineEditor())
        }
    }
}

/// The line under the activity: the command that would have done the same, and what came of it.
struct MessageLine: Hashable, Sendable {
    /// A command without the program, or `!` and a shell command.
    var command: String?
    var text: String
    var role: Role

    /// The command as a shell takes it.
    var shellLine: String? {
        command.map { $0.hasPrefix("!") ? String($0.dropFirst()) : "sluice \($0)" }
    }

    static func note(_ text: String) -> MessageLine { MessageLine(text: text, role: .quiet) }

    static func refusal(_ text: String) -> MessageLine { MessageLine(text: text, role: .time) }
}
