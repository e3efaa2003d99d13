package import SluiceModel

/// The remains of a dead process's attempt.
package enum Remains: Hashable, Sendable {
    /// No process of it continues.
    case gone
    /// Its child, or a process started by the child, continues and holds its lock (A2, A3).
    case orphan(pid: Int64?)
}

/// Attaches and detaches processes, and cleans up after dead ones (A2).
extension Mutation {
    /// Attaches a process; gives it its number.
    package func attach(_ process: ProcessRecord) throws -> ProcessRecord {
        var process = process
        process.id = try store.reserveNumber()
        process.attachedAt = real
        process.types = process.types?.map(Names.composed)
        process.queues = process.queues?.map(Names.composed)
        try store.put(process)
        return process
    }

    /// Detaches a process: its running tasks wait again, without counting an attempt.
    @discardableResult
    package func detach(_ id: ProcessID) throws -> [Settled] {
        var settled: [Settled] = []
        for task in try store.tasksRun(by: id) {
            guard let lease = task.running else { continue }
            settled += try settle([
                Completion(task: task.id, token: lease.token, ending: .stopped(.stopped))
            ])
        }
        for task in try store.tasksLingering(of: id)
        where task.waiting?.lingering?.kind == .abandoned {
            try apply(.endLingering, to: task)
        }
        try endEdit(of: id)
        try endPauses(of: id)
        try endBreakpoints(of: id)
        try endRecording(of: id, because: "its recorder went")
        try store.removeProcess(id)
        return settled
    }

    /// Cleans up after a dead process: its attempts end as `lost`; its permits and edits are
    /// removed. `remains` returns whether the child of an attempt continues.
    @discardableResult
    package func reap(
        _ id: ProcessID, chance: Double = 0.5,
        remains: (QueueTask, AttemptRecord) -> Remains = { _, _ in .gone }
    ) throws -> [Settled] {
        var settled: [Settled] = []
        for task in try store.tasksRun(by: id) {
            guard let lease = task.running else { continue }
            let attempt = try store.attempts(of: task.id).last
            var completion = Completion(task: task.id, token: lease.token, ending: .lost)
            completion.chance = chance
            completion.progress = attempt.map(AttemptProgress.init)
            settled += try settle([completion], remains: remains)
        }
        for task in try store.tasksLingering(of: id)
        where task.waiting?.lingering?.kind == .abandoned {
            try apply(.endLingering, to: task)
        }
        try endEdit(of: id)
        try endPauses(of: id)
        try endBreakpoints(of: id)
        try endRecording(of: id, because: "its recorder was gone")
        try recordDeath(of: id, inFlight: settled.count)
        try store.removeProcess(id)
        return settled
    }

    /// Notes a runner's death in the journal. For a runner that takes only permits, only if it had
    /// a task in hand.
    private func recordDeath(of id: ProcessID, inFlight count: Int) throws {
        guard let process = try store.processes().first(where: { $0.id == id }),
            process.role == .runner, count > 0 || !process.takesOnlyPermits
        else { return }
        let place = "pid \(process.pid) on \(process.host)"
        let hand = count > 0 ? "had \(NumberText.tasks(count)) in hand" : "ran nothing"
        try store.append([
            JournalEvent(
                at: real, kind: "died", queue: nil, task: nil, by: "sluice",
                text: "worker \(id) (\(place)) died; it \(hand)")
        ])
    }

    /// Makes the task wait for the remains of its attempt (B12).
    func leaveOrphan(_ id: TaskID, lease: Running, pid: Int64?) throws {
        guard var task = try store.task(id) else { return }
        task.state.lingering = Lingering(
            kind: .orphan, owner: lease.owner, attempt: lease.attempt, pid: pid)
        task.version += 1
        try store.update([task])
    }

    /// Frees the task of an abandoned attempt that has ended, also if the task was given up or
    /// deleted since (B12).
    package func release(_ id: TaskID, attempt: Int) throws {
        guard var task = try store.task(id), task.state.lingering?.attempt == attempt else {
            return
        }
        guard task.waiting == nil else {
            try apply(.endLingering, to: task)
            return
        }
        task.state.lingering = nil
        task.version += 1
        try store.update([task])
    }

    /// Fails expired tasks, at most 1,000 per commit (Q8). Only runners do this.
    package func expireTasks() throws {
        for task in try store.tasks(.expiring(through: now), limit: 1000) {
            let settings = try queue(task.queue).settings
            guard task.isExpired(at: now, settings: settings) else { continue }
            try apply(.expire, to: task)
            try store.append([
                JournalEvent(
                    at: real, kind: "expired", queue: task.queue, task: task.id, by: "sluice",
                    text: "expired before it ran")
            ])
        }
    }
}

extension AttemptProgress {
    /// The progress already stored in an attempt.
    package init(_ attempt: AttemptRecord) {
        self.init()
        fraction = attempt.fraction
        text = attempt.progressText
        log = attempt.log
        childPID = attempt.childPID
        childStartTime = attempt.childStartTime
    }
}
