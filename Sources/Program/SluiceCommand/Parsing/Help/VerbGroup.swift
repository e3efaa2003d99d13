import SluiceControl

/// The groups of verbs in help and manual, in the order of the table of actions.
enum VerbGroup: String, CaseIterable {
    case look = "Look"
    case task = "Tasks"
    case queue = "Queues"
    case debugger = "Debugger"
    case store = "Store and program"

    var verbs: [Action.Named] {
        Action.all.compactMap { action in
            guard let command = action.command, VerbGroup(action, command) == self else {
                return nil
            }
            return (action, command)
        }
    }

    /// The name of its page in the manual.
    var page: String {
        switch self {
        case .look: "sluice-look"
        case .task: "sluice-tasks"
        case .queue: "sluice-queues"
        case .debugger: "sluice-debugger"
        case .store: "sluice-store"
        }
    }

    /// The summary of its page.
    var line: String {
        switch self {
        case .look: "verbs that look and change nothing"
        case .task: "verbs on tasks"
        case .queue: "verbs on queues, and the worker"
        case .debugger: "verbs that stop, fail, move, record and compare"
        case .store: "verbs on stores, and on the program itself"
        }
    }

    private init(_ action: Action, _ command: Command) {
        if action.verb != nil || [.enqueue, .undo, .redo].contains(action.id) {
            self = .task
        } else if Action.debuggerNames.contains(action.id) {
            self = .debugger
        } else if command.changes {
            self = action.subject == .queue || action.id == .work ? .queue : .store
        } else {
            self = action.subject == .program || action.id == .export ? .store : .look
        }
    }
}
