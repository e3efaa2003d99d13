import SluiceControl
import SluiceModel
import SluiceTerminalUI

/// What lies over the view until `q` or Escape takes it away.
enum Page: Hashable, Sendable {
    /// The blockers of a task; `choice` is the one that Enter removes.
    case why(TaskID, choice: Int)
    /// All about a task, scrolled.
    case detail(TaskID, DetailPlace)
    /// Every key, or those that `find` is part of.
    case help(top: Int, find: String)
    /// Every verb, with the reason when it is not legal.
    case actions(choice: Int)
    /// The settings of a queue; the cursor is on one of them.
    case settings(String, QueueSetting)
    /// What a command printed.
    case text(title: String, lines: [String], top: Int)
    /// What differs between two moments of the store.
    case difference(DifferencePage)
    /// When tasks waited and ran.
    case timeline(TimelinePage)
    /// A task beside what it was, scrolled.
    case changed(ChangedTask, top: Int)

    /// The task that the page is about.
    var subject: TaskID? {
        switch self {
        case .why(let id, _), .detail(let id, _): id
        case .changed(let task, _): task.change.after?.id
        case .timeline(let page): page.chosen?.task
        case .help, .actions, .settings, .text, .difference: nil
        }
    }

    /// How much of the task is read.
    var depth: SubjectDepth {
        switch self {
        case .detail: .detail
        case .timeline: .line
        default: .why
        }
    }
}

/// What of a task's page is seen.
struct DetailPlace: Hashable, Sendable {
    /// The first line.
    var top = 0
    /// Whether the end of the log of what runs stays in sight: until somebody scrolls elsewhere.
    var follows = true
    /// How the payload is shown.
    var lens = PayloadLens.opened
    /// Which executions are compared.
    var pair = AttemptPair()
}

/// How a payload is shown.
enum PayloadLens: Hashable, Sendable {
    /// JSON laid out, with texts that hold JSON or base64 opened.
    case opened
    /// The bytes as they are.
    case raw
}
