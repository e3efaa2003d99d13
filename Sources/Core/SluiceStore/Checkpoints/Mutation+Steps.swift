package import SluiceModel

/// A step keeps images of its changes, so that `undo` can revert the newest step (G5). The lease
/// shows whether a permit started the attempt.
extension Mutation {
    /// Begins a step: keeps the image of the waiting task.
    func begin(step task: QueueTask, _ lease: Running) throws {
        let waiting = try store.task(task.id) ?? task
        try store.put(
            StepImage(
                token: lease.token, task: waiting.withoutEdit, attempt: lease.attempt,
                lastTask: try store.reserveTaskIDs(0) - 1))
    }

    /// Ends a step with `settle`, and keeps images of the changes and of new tasks.
    func end(
        step lease: Running, of task: QueueTask, _ settle: () throws -> Settled
    ) throws -> Settled {
        guard var step = try store.steps().last(where: { $0.token == lease.token })
        else { return try settle() }
        let payload = try payloadOfStep(task)
        let (settled, images) = try images(of: settle)
        let attempt = try store.attempts(of: task.id).last { $0.number == lease.attempt }
        step.end = StepImage.End(
            sequence: attempt?.endSequence ?? 0, left: try store.task(task.id), images: images,
            payload: payload)
        try store.put(step)
        return settled
    }

    /// The run of a queue ended in the commit that ended these steps.
    func recordRunEnd(of queue: String, _ tokens: Set<Int64>) throws {
        for var step in try store.steps()
        where step.task.queue == queue && tokens.contains(step.token) {
            step.end?.endsRun = true
            try store.put(step)
        }
    }

    /// The payload of a stepped task whose end may make the store forget it; nil for any other.
    private func payloadOfStep(_ task: QueueTask) throws -> [UInt8]? {
        switch try queue(task.queue).settings.keepFinished {
        case .none, .last: try store.payload(of: task.id)
        case .milliseconds, .acknowledged: nil
        }
    }

    /// Lets the task of a step wait again as it did; where the store has forgotten it, it comes
    /// again under its number.
    package func revert(_ step: StepImage) throws {
        if let current = try store.task(step.task.id) {
            try restore(step.steppedBack(current), in: current)
            return
        }
        var task = try settled(step.task)
        // Its start and its end were versions of it.
        task.version += 3
        task.updatedAt = real
        task.executions = step.attempt
        task.isHeld = try isHeld(task)
        let behind = TaskSelection.arrived(queue: task.queue, after: task.position - 1)
        if try store.tasks(behind, limit: 1).first?.position == task.position {
            task.position = try store.lastPosition(queue: task.queue) + positionGap
        }
        try store.insert([NewTask(task: task, payload: step.end?.payload ?? [])])
        recordMade(task.id, version: task.version)
        try followGroup(from: nil, to: task)
    }

    /// Clears the attempted-in-run mark of an old image if that run has ended.
    func settled(_ task: QueueTask) throws -> QueueTask {
        guard var waiting = task.waiting, try queue(task.queue).run == nil else { return task }
        var task = task
        waiting.attemptedInRun = false
        task.state = .waiting(waiting)
        return task
    }
}
