import SluiceModel

extension Verb {
    /// The tasks that the verb names, in the order in which it goes through them; setting them
    /// makes it the same verb on others.
    public var targets: [TaskTarget] {
        get {
            switch self {
            case .skip(let targets, _), .unskip(let targets), .delete(let targets, _, _),
                .undelete(let targets), .retry(let targets, _), .postpone(let targets, _, _),
                .priority(let targets, _), .moveToQueue(let targets, _),
                .edit(let targets, _, _), .duplicate(let targets), .cancel(let targets),
                .reclaim(let targets), .acknowledge(let targets), .purge(let targets, _):
                targets
            case .move(let target, _): [target]
            default: []
            }
        }
        set(targets) {
            switch self {
            case .skip(_, let time): self = .skip(targets, forMilliseconds: time)
            case .unskip: self = .unskip(targets)
            case .delete(_, let cancels, let members):
                self = .delete(targets, cancelsRunning: cancels, members: members)
            case .undelete: self = .undelete(targets)
            case .retry(_, let over): self = .retry(targets, overMilliseconds: over)
            case .postpone(_, let until, let over):
                self = .postpone(targets, until: until, overMilliseconds: over)
            case .priority(_, let value): self = .priority(targets, value)
            case .moveToQueue(_, let queue): self = .moveToQueue(targets, queue)
            case .edit(_, let payload, let fields):
                self = .edit(targets, payload: payload, fields: fields)
            case .duplicate: self = .duplicate(targets)
            case .cancel: self = .cancel(targets)
            case .reclaim: self = .reclaim(targets)
            case .acknowledge: self = .acknowledge(targets)
            case .purge(_, let members): self = .purge(targets, members: members)
            default: break
            }
        }
    }

    /// What was done to these tasks, as the journal and the answer say it.
    func sentence(_ ids: [TaskID], by person: String) -> String {
        let what = ids.count == 1 ? "#\(ids.first ?? 0)" : NumberText.tasks(ids.count)
        return "\(what) \(pastTense) by \(person)"
    }

    /// What the journal says was done.
    private var pastTense: String {
        switch self {
        case .skip: "skipped"
        case .unskip: "taken back in"
        case .delete: "deleted"
        case .undelete: "brought back"
        case .retry(_, let over): "made due" + Self.spread(over)
        case .postpone(_, let until, let over):
            "postponed until \(TimeText.rfc3339(until))" + Self.spread(over)
        case .priority(_, let value): "given priority \(value.text)"
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

    private static func spread(_ milliseconds: Int64?) -> String {
        milliseconds.map { " over \(DurationText.compact($0))" } ?? ""
    }

    /// Whether images of before are enough to take the verb back (D9).
    var canBeUndone: Bool {
        switch self {
        case .cancel, .reclaim, .acknowledge, .purge: false
        default: true
        }
    }
}
