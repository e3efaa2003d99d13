package import SluiceModel
import SluiceStore

extension StoreReader {
    /// The task before which a breakpoint stopped a queue, if it may start. A step takes it first.
    /// `assumesRunner` assumes a handler for every type.
    func stoppedTask(
        of queue: QueueRecord, now: Timestamp, real: Timestamp, assumesRunner: Bool = false
    ) throws -> QueueTask? {
        guard let hit = queue.stoppedBefore(at: real), let task = try task(hit.task),
            task.waiting != nil, task.queue == queue.name,
            try !permits().contains(where: { $0.task == task.id }),
            try lasting(task, now: now, real: real).allSatisfy({
                assumesRunner && $0.kind == .noRunner
            })
        else { return nil }
        return task.awake(at: now)
    }

    /// The blockers that a permit does not pass.
    func lasting(_ task: QueueTask, now: Timestamp, real: Timestamp) throws -> [Blocker] {
        var place = try eligibility(of: task, now: now, real: real)
        place.hasPermit = true
        return task.blockers(in: place).filter { !Blocker.Kind.passedByStep.contains($0.kind) }
    }
}

extension Reading {
    /// The task that a step of a queue would take: the stopped task, else the next one. Ignores
    /// pauses, slots and the run.
    package func next(of queue: QueueRecord) throws -> QueueTask? {
        let processes = try processes()
        let hasNoRunner = !processes.contains(where: \.isWorking)
        return try store.stoppedTask(of: queue, now: now, real: real, assumesRunner: hasNoRunner)
            ?? store.nextTask(of: queue, among: processes, now: now)
    }
}
