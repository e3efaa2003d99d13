package import SluiceModel

/// A change of one foreign task.
package enum ForeignChange: Hashable, Sendable {
    case skip
    case unskip
    case delete
    case retry
    case edit(JSONValue)
    case move(ForeignPlace)
    case postpone(Timestamp)
    case priority(Int64)

    /// The verb that says it.
    package var verb: ForeignVerb {
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
package enum ForeignPlace: Hashable, Sendable {
    case first, last
    case before(String)
    case after(String)
}

/// The verbs, as commands spell them.
package enum ForeignVerb: String, Hashable, Sendable, CaseIterable {
    case pause, resume, step, skip, unskip, delete, retry, edit, move, postpone, priority, cancel,
        reclaim, undo
}

/// The result of a verb, with its consequences in the system.
package struct ForeignAnswer: Hashable, Sendable {
    /// The tasks that it changed.
    package var changed: [String]
    /// The consequences, one sentence each.
    package var consequences: [String]

    /// An answer.
    package init(changed: [String] = [], consequences: [String] = []) {
        self.changed = changed
        self.consequences = consequences
    }
}

/// One step: exactly one task was let through to its own worker.
package struct ForeignStep: Hashable, Sendable {
    package var task: ForeignTask
    /// How its execution ended: `success`, `retry`, `giveUp`; nil where it had no end in the time
    /// that was waited, or its system does not say.
    package var outcome: String?
    package var error: String?
    /// How long it took from being let through.
    package var milliseconds: Int64
    /// A note for the user.
    package var note: String?

    /// A step.
    package init(task: ForeignTask, outcome: String?, error: String?, milliseconds: Int64) {
        self.task = task
        self.outcome = outcome
        self.error = error
        self.milliseconds = milliseconds
    }
}
