package import SluiceModel

/// The fix of a blocker, as an action.
package enum Remedy: Hashable, Sendable {
    case verb(Verb)
    case step(StepRequest)
    /// To look at what holds another task.
    case why(TaskID)
    /// A command of another terminal.
    case elsewhere(String)

    /// Converts a fix; `target` maps its tasks.
    package init(
        _ fix: Blocker.Fix, target: (TaskID) -> TaskTarget = { TaskTarget($0) }
    ) {
        switch fix {
        case .task(let verb, let id):
            self = .verb(.on([target(id)], Self.verb(verb)))
        case .foreignTask(let verb, let name):
            self = .elsewhere("\(Self.name(verb)) \(name)")
        case .step(let id): self = .step(.task(target(id)))
        case .why(let id): self = .why(id)
        case .run(let queue): self = .verb(.run(queue: queue, limit: nil))
        case .resume(let queue): self = .verb(.resume(.queue(queue)))
        case .resumeStore: self = .verb(.resume(.store))
        case .goOn(let queue): self = .verb(.goOn(queue: queue))
        case .network(let forced, let queue):
            self = .verb(.network(forced: forced, queue: queue))
        case .work: self = .elsewhere("work --handlers FILE")
        case .doctor: self = .elsewhere("doctor --repair")
        }
    }

    /// The verb without options.
    private static func verb(_ verb: Blocker.Fix.TaskVerb) -> any TaskVerb {
        switch verb {
        case .retry: RetryVerb()
        case .skip: SkipVerb()
        case .unskip: UnskipVerb()
        case .undelete: UndeleteVerb()
        case .reclaim: ReclaimVerb()
        }
    }

    private static func name(_ verb: Blocker.Fix.TaskVerb) -> String {
        type(of: self.verb(verb)).name
    }
}
