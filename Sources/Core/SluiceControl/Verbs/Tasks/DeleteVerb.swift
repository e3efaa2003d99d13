public import SluiceModel
import SluiceStore

/// To the trash, from which `undelete` brings it back (D6).
package struct DeleteVerb: TaskVerb {
    package static let name = "delete"
    package static let help = "to the trash; undelete brings it back"
    package static let participle = "deleted"
    package static let options = [
        Command.Option("--cancel", .flag, "also one that runs"),
        Command.Option(
            "--members", .choice(StartFailurePolicy.allCases.map(\.rawValue)),
            "what becomes of a start's members"),
    ]
    package static let states: Set<TaskState.Name> = [.waiting, .failed, .succeeded]
    /// Whether one that runs is told to stop, and is deleted then.
    var cancelsRunning = false
    /// What becomes of a start's members; nil for what the queue says.
    var members: StartFailurePolicy?

    package static func reason(against task: ShownTask) -> String? {
        task.task.state.name == .deleted ? "\(task.name) is in the trash already" : nil
    }

    package static func unsaid(on task: QueueTask?) -> (any TaskVerb)? {
        DeleteVerb(cancelsRunning: task?.running != nil)
    }

    package func words(in text: CommandText) -> [String] {
        (cancelsRunning ? ["--cancel"] : []) + (members.map { ["--members", $0.rawValue] } ?? [])
    }

    package var caution: VerbCaution {
        guard cancelsRunning else { return .ofStarts }
        let sentence = "it runs: it is told to stop, then goes to the trash"
        return .always(one: sentence, several: sentence)
    }

    package func perform(on task: QueueTask, in context: VerbContext) throws {
        let deletion = Deletion(by: context.person, members: members)
        if task.running != nil, cancelsRunning {
            try context.mutation.apply(.requestStop(.deleted, deletion), to: task)
            return
        }
        let held = try context.heldBack(by: task, "member")
        let change = try context.mutation.apply(.delete(deletion), to: task)
        if let held, let policy = change.task.endedStartPolicy {
            let fate =
                switch policy {
                case .hold: "stay held"
                case .release: "are free"
                case .skipRun: "sit out the run that is open"
                case .giveUp: "are given up"
                }
            context.answer.consequences.append("\(held) \(fate)")
        }
    }
}

extension DeleteVerb {
    package init(_ words: VerbWords) throws(QueueError) {
        cancelsRunning = words.options.has("--cancel")
        members = try words.options.choice("--members")
    }
}

extension Verb {
    /// Puts tasks into the trash; those that run only where they are told to stop (D6).
    public static func delete(
        _ targets: [TaskTarget], cancelsRunning: Bool, members: StartFailurePolicy?
    ) -> Verb {
        on(targets, DeleteVerb(cancelsRunning: cancelsRunning, members: members))
    }
}
