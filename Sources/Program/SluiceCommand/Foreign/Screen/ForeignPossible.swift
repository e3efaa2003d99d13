import SluiceControl
import SluiceForeignQueues
import SluiceModel

/// The console actions that a system supports.
struct ForeignPossible {
    /// Why each action can never be done.
    let refusals: [Action.ID: String]
    /// Why each action cannot be done to a task, by what that shows.
    let taskRefusals: [String: [Action.ID: ActionRefusal]]
    /// The help of actions whose effect differs from Sluice's stores.
    let helps: [Action.ID: String]
    private let rules: SystemRules

    /// The rules of a system, by its name for `--as`.
    init(_ rules: SystemRules, name: String) {
        self.rules = rules
        var refusals: [Action.ID: String] = [:]
        for action in Action.all where action.changesStore && !Self.personal.contains(action.id) {
            guard let verb = Self.verbs[action.id] else {
                refusals[action.id] =
                    "\(action.legend) is for stores of this program's own, not for \(name)"
                continue
            }
            refusals[action.id] = rules.refusal(of: verb).map { "not in \(name): \($0)" }
        }
        self.refusals = refusals
        var found: [String: [Action.ID: ActionRefusal]] = [:]
        for display in ForeignTask.Display.allCases {
            found[display.rawValue] = Self.verbs.compactMapValues { verb in
                rules.refusal(of: verb, on: display).map(Self.refusal)
            }
        }
        // The key of skip takes a skipped task back in.
        let skipped = ForeignTask.Display.skipped
        found[skipped.rawValue]?[.skip] = rules.refusal(of: .unskip, on: skipped).map(Self.refusal)
        taskRefusals = found
        let isUndone = refusals[.undo] == nil
        helps = [
            .delete: isUndone ? "take it out; undo brings it back" : "take it out of \(name)",
            .edit: "its payload", .cancel: "ask \(name) to stop it",
        ]
    }

    /// The command of the system that stops a task; nil if no worker has it.
    func ownStop(of task: ForeignTask) -> String? {
        guard task.display.state == .running else { return nil }
        return rules.ownStop.map { ForeignRefusal.filled($0, task.reference) }
    }

    private static func refusal(_ refusal: ForeignRefusal) -> ActionRefusal {
        switch refusal.way {
        case .verb(let verb, let effect):
            let action = Action.ID(rawValue: verb.rawValue)
            let hasKey = Action.named(action)?.key != nil
            // Skipped tasks come back by the key that skips them.
            let key = verb == .unskip ? Action.ID.skip : action
            return ActionRefusal(
                refusal.reason,
                way: hasKey || verb == .unskip
                    ? .action(key, effect: effect) : .sentence("sluice \(verb.rawValue) \(effect)"))
        case .own(let command, let effect):
            return ActionRefusal(refusal.reason, way: .sentence("\(command) \(effect)"))
        case .nothing(let sentence): return ActionRefusal(refusal.reason, way: .sentence(sentence))
        case nil: return ActionRefusal(refusal.reason)
        }
    }

    /// Actions that change only personal settings.
    private static let personal: Set<Action.ID> = [.saveFilter, .removeFilter]

    private static let verbs: [Action.ID: ForeignVerb] = [
        .step: .step, .stepTask: .step, .pause: .pause, .pauseWithReason: .pause,
        .resume: .resume, .skip: .skip, .unskip: .unskip, .delete: .delete, .retry: .retry,
        .edit: .edit, .move: .move, .postpone: .postpone, .priority: .priority,
        .raisePriority: .priority, .lowerPriority: .priority, .cancel: .cancel,
        Action.ID(rawValue: ForeignVerb.reclaim.rawValue): .reclaim, .undo: .undo,
    ]
}
