package import SluiceModel

package enum ForeignChange: Hashable, Sendable {
    case skip
    case unskip
    case delete
    case retry
    case edit(JSONValue)
    case move(ForeignPlace)
    case postpone(Timestamp)
    case priority(Int64)

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
    package var changed: [String]
    /// The consequences, one sentence each.
    package var consequences: [String]
    /// The tasks of an undo that are not as they were before, each with the reason.
    package var late: [ForeignUndone] = []
    /// The error that ended an undo before its last task.
    package var ended: QueueError?

    package init(changed: [String] = [], consequences: [String] = []) {
        self.changed = changed
        self.consequences = consequences
    }
}

/// The person that changes tasks, and the verb whose changes an undo takes back together.
package struct ForeignAuthor: Hashable, Sendable, ExpressibleByStringLiteral {
    package var person: String
    /// The mark of a verb on several tasks; `nil` for a single change.
    package var deed: String?

    package init(_ person: String, deed: String? = nil) {
        self.person = person
        self.deed = deed
    }

    package init(stringLiteral person: String) { self.init(person) }
}

/// A change that was taken back, or that can no longer be.
package struct ForeignUndone: Hashable, Sendable {
    package var task: String
    package var verb: String
    /// The mark of its verb, as `ForeignAuthor` has it.
    package var deed: String?
    package var consequences: [String]
    /// The reason it is not taken back; `nil` if it is.
    package var late: QueueError?

    init(
        _ task: String, _ verb: String, deed: String?, consequences: [String]? = nil,
        isLate: Bool = false
    ) {
        (self.task, self.verb) = (task, verb)
        self.deed = deed.flatMap { $0.isEmpty ? nil : $0 }
        self.consequences = consequences ?? ["\(verb) is undone"]
        late = isLate ? .undoneTooLate(verb, task) : nil
    }

    /// The same if it can no longer be taken back.
    var tooLate: ForeignUndone { ForeignUndone(task, verb, deed: deed, isLate: true) }
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
    package var note: String?

    package init(task: ForeignTask, outcome: String?, error: String?, milliseconds: Int64) {
        self.task = task
        self.outcome = outcome
        self.error = error
        self.milliseconds = milliseconds
    }
}
