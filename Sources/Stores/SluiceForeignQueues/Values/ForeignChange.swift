public import SluiceModel

/// What a verb does to one task of another system.
public enum ForeignChange: Hashable, Sendable {
    case skip
    case unskip
    case delete
    case retry
    case edit(JSONValue)
    case move(ForeignPlace)
    case postpone(Timestamp)
    case priority(Int64)

    /// The verb that says it.
    public var verb: ForeignVerb {
        switch self {
        case .skip: .skip
        case .unskip: .unskip
        case .delete: .delete
        case .retry: .retry
        case .edit: .edit
        case .move: .move
        case .postpone: .postpone
        case .priority: .priority
        }
    }
}

/// A place in the order of a queue.
public enum ForeignPlace: Hashable, Sendable {
    case first, last
    case before(String)
    case after(String)
}

/// The verbs, as commands spell them.
public enum ForeignVerb: String, Hashable, Sendable, CaseIterable {
    case pause, resume, step, skip, unskip, delete, retry, edit, move, postpone, priority, undo
}

/// What a verb did, and what the system itself will make of it.
public struct ForeignAnswer: Hashable, Sendable {
    /// The tasks that it changed.
    public var changed: [String]
    /// What follows from it.
    public var consequences: [String]

    /// An answer.
    public init(changed: [String] = [], consequences: [String] = []) {
        self.changed = changed
        self.consequences = consequences
    }
}

/// One step: exactly one task was let through to its own worker.
public struct ForeignStep: Hashable, Sendable {
    /// The task.
    public var task: ForeignTask
    /// How its execution ended: `success`, `retry`, `giveUp`; nil where it had no end in the time
    /// that was waited, or its system does not say.
    public var outcome: String?
    /// Its error.
    public var error: String?
    /// How long it took from being let through.
    public var milliseconds: Int64
    /// What a person should know about it.
    public var note: String?

    /// A step.
    public init(task: ForeignTask, outcome: String?, error: String?, milliseconds: Int64) {
        self.task = task
        self.outcome = outcome
        self.error = error
        self.milliseconds = milliseconds
    }
}
