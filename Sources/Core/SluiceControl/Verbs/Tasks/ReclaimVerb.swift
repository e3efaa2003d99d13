import SluiceModel
import SluiceStore

/// Takes a task from an owner that a person knows to be dead (D7).
struct ReclaimVerb: PlainVerb {
    static let name = "reclaim"
    static let help = "take a task from an owner that you know to be dead"
    static let participle = "reclaimed"
    static let states: Set<TaskState.Name> = [.waiting, .running]
    static let canBeUndone = false

    static func reason(against shown: ShownTask) -> String? {
        let hasOwner = shown.task.running != nil || shown.task.waiting?.lingering != nil
        return hasOwner ? nil : "nothing of \(shown.name) runs anywhere"
    }

    func perform(on task: QueueTask, in context: VerbContext) throws {
        if let lease = task.running {
            try refuseLife(of: lease, on: task, in: context)
            var completion = Completion(task: task.id, token: lease.token, ending: .lost)
            completion.chance = context.chance
            _ = try context.mutation.settle([completion])
        } else if try context.store.wasFreedOfDeadOwner(task) {
            let way = task.waiting?.parking == nil ? "waits again" : "is parked"
            context.find(task, "\(way): its worker was dead")
        } else {
            try context.mutation.apply(.endLingering, to: task)
        }
    }

    /// A worker that lives would execute its attempt further, while the next one begins (P2).
    private func refuseLife(
        of lease: Running, on task: QueueTask, in context: VerbContext
    ) throws {
        let runner = try context.store.processes().first { $0.id == lease.owner }
        guard let runner, context.signs.showsLife(of: runner) else { return }
        throw QueueError.notLegal(
            "#\(task.id) runs in worker \(runner.id), which is alive",
            fix: "sluice cancel \(task.id) stops it")
    }
}

extension StoreReader {
    /// Whether the last owner of a task that waits was found dead, so that nothing of it runs: the
    /// verb's own look for the dead may have been the one that found it.
    fileprivate func wasFreedOfDeadOwner(_ task: QueueTask) throws -> Bool {
        guard let waiting = task.waiting, waiting.lingering == nil else { return false }
        if task.lossesInSuccession > 0 { return true }
        guard let last = try attempts(of: task.id).last, last.outcome == .abandoned else {
            return false
        }
        return try !processes().contains { $0.id == last.runner }
    }
}

extension Verb {
    /// Takes tasks from an owner that a person knows to be dead (D7).
    public static func reclaim(_ targets: [TaskTarget]) -> Verb { on(targets, ReclaimVerb()) }
}
