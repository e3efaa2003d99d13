package import SluiceModel

/// What became of the executions of a dead process.
package enum Remains: Hashable, Sendable {
    /// Nothing of it goes on.
    case gone
    /// Its child, or a process that this one started, goes on and holds its lock (A2, A3).
    case orphan(pid: Int64?)
}

/// How processes come, go, and are cleared away when they died (A2).
extension Mutation {
    /// Attaches a process; gives it its number.
    package func attach(_ process: ProcessRecord) throws -> ProcessRecord {
        var process = process
        process.id = try store.takeNumber()
        process.attachedAt = real
        process.types = process.types?.map(Names.composed)
        process.queues = process.queues?.map(Names.composed)
        try store.put(process)
        return process
    }

    /// A process goes by itself: what it still has in hand waits again, not counted.
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

    /// A process died: its executions end as `lost`, its permits and edits go. `remains` says of an
    /// execution whether its child still goes on.
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
        try noteDeath(of: id, inHand: settled.count)
        try store.removeProcess(id)
        return settled
    }

    /// A line tells that a runner died; of one that takes steps alone, where it had one in hand.
    private func noteDeath(of id: ProcessID, inHand count: Int) throws {
        guard let process = try store.processes().first(where: { $0.id == id }),
            process.role == .runner, count > 0 || !process.takesOnlyPermits
        else { return }
        let place = "pid \(process.pid) on \(process.host)"
        let hand = count > 0 ? "had \(NumberText.tasks(count)) in hand" : "ran nothing"
        try store.append([
            JournalEvent(
                at: real, kind: "died", queue: nil, task: nil, by: "sluice",
                text: "runner \(id) (\(place)) died; it \(hand)")
        ])
    }

    /// Its task waits for what goes on of an execution (B12).
    func leaveOrphan(_ id: TaskID, lease: Running, pid: Int64?) throws {
        guard var task = try store.task(id) else { return }
        task.state.lingering = Lingering(
            kind: .orphan, owner: lease.owner, attempt: lease.attempt, pid: pid)
        task.version += 1
        try store.update([task])
    }

    /// An abandoned execution came to its end after all: its task is free, also one that was given
    /// up or lies in the trash meanwhile (B12).
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

    /// Fails what has expired, at most 1,000 in one commit (Q8); only runners sweep.
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
    /// What an attempt already holds.
    package init(_ attempt: AttemptRecord) {
        self.init()
        fraction = attempt.fraction
        text = attempt.progressText
        log = attempt.log
        childPID = attempt.childPID
        childStartTime = attempt.childStartTime
    }
}
