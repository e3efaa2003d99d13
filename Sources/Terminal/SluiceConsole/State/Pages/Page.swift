import SluiceControl
import SluiceModel
import SluiceTerminalUI

/// A page over the view. `q` or Escape closes it.
enum Page: Hashable, Sendable {
    /// The blockers of a task; `choice` is the one that Enter removes.
    case why(TaskID, choice: Int)
    /// All about a task, scrolled.
    case detail(TaskID, DetailPlace)
    /// All keys, or the ones that contain `find`.
    case help(top: Int, find: String)
    /// The settings of a queue; the cursor is on one of them.
    case settings(String, QueueSetting)
    /// The output of a command.
    case text(title: String, lines: [String], top: Int)
    /// The difference between two moments of the store.
    case difference(DifferencePage)
    /// When tasks waited and ran.
    case timeline(TimelinePage)
    /// A task and its former state, scrolled.
    case changed(ChangedTask, top: Int)

    var subject: TaskID? {
        switch self {
        case .why(let id, _), .detail(let id, _): id
        case .changed(let task, _): task.change.after?.id
        case .timeline(let page): page.chosen?.task
        case .help, .settings, .text, .difference: nil
        }
    }

    /// The detail to read about the task.
    var depth: SubjectDepth {
        switch self {
        case .detail: .detail
        case .timeline: .line
        default: .why
        }
    }
}

/// The visible part of a task's page.
struct DetailPlace: Hashable, Sendable {
    /// The first line.
    var top = 0
    /// Whether the end of the running log stays visible. Scrolling away ends that.
    var follows = true
    /// The payload's format.
    var lens = PayloadLens.opened
    var pair = AttemptPair()
}

enum PayloadLens: Hashable, Sendable {
    /// JSON laid out, with texts that hold JSON or base64 opened.
    case opened
    /// The bytes as they are.
    case raw
}
