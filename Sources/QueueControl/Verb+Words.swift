import QueueModel

extension Verb {
    /// The tasks that the verb names.
    public var targets: [TaskTarget] {
        switch self {
        case .skip(let targets, _), .unskip(let targets), .delete(let targets, _, _),
            .undelete(let targets), .retry(let targets), .postpone(let targets, _),
            .priority(let targets, _), .moveToQueue(let targets, _), .duplicate(let targets),
            .cancel(let targets), .reclaim(let targets), .acknowledge(let targets),
            .edit(let targets, _, _), .purge(let targets, _):
            targets
        case .move(let target, _): [target]
        default: []
        }
    }

    /// What the journal says was done.
    var pastTense: String {
        switch self {
        case .skip: "skipped"
        case .unskip: "taken back in"
        case .delete: "deleted"
        case .undelete: "brought back"
        case .retry: "made due"
        case .postpone(_, let until): "postponed until \(TimeText.rfc3339(until))"
        case .priority(_, let value): "given priority \(value)"
        case .move: "moved"
        case .moveToQueue(_, let queue): "moved to \(queue)"
        case .edit: "edited"
        case .duplicate: "made as a duplicate"
        case .cancel: "told to stop"
        case .reclaim: "reclaimed"
        case .acknowledge: "acknowledged"
        case .purge: "purged"
        default: name
        }
    }

    /// Whether images of before are enough to take the verb back (D9).
    var canBeUndone: Bool {
        switch self {
        case .cancel, .reclaim, .acknowledge, .purge: false
        default: true
        }
    }
}
