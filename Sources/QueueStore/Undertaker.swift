public import QueueModel
import Platform

/// Finds processes that died without leaving, by their locks, and clears up behind them (A2).
public enum Undertaker {
    /// Buries every dead process of this machine; gives what became of their executions. `chance`
    /// draws the jitter of the retries.
    @discardableResult
    public static func buryTheDead(
        in store: any QueueStore, now: Timestamp, chance: Double = 0.5
    ) throws -> [Settled] {
        guard let folder = store.runFolder, !store.isReadOnly else { return [] }
        let identity = try HostIdentity.current()
        let dead = try store.readBlocking { try $0.processes() }.filter {
            isDead($0, identity: identity, folder: folder)
        }
        let orphans = try freedOrphans(in: store, folder: folder)
        guard !dead.isEmpty || !orphans.isEmpty else { return [] }
        let settled = try store.writeBlocking { store in
            let mutation = Mutation(store, now: now)
            let here = Set(try store.processes().map(\.id))
            var settled: [Settled] = []
            for process in dead where here.contains(process.id) {
                settled += try mutation.bury(process.id, chance: chance) { task, attempt in
                    remains(of: task, attempt, process: process, folder: folder)
                }
            }
            for id in orphans {
                guard let task = try store.task(id), task.waiting?.lingering?.kind == .orphan
                else { continue }
                try mutation.apply(.endLingering, to: task)
            }
            try mutation.finish()
            return settled
        }
        for process in dead { try? Files.remove("\(folder)/\(process.lockName)") }
        return settled
    }

    /// The lock file that the child of an execution inherits.
    public static func childLockName(process: ProcessID, task: TaskID, attempt: Int) -> String {
        "child-\(process)-\(task)-\(attempt).lock"
    }

    private static func isDead(
        _ process: ProcessRecord, identity: HostIdentity, folder: String
    ) -> Bool {
        // A store on one machine: another boot means that everything before it is gone.
        guard process.bootID == identity.bootID else { return true }
        let path = "\(folder)/\(process.lockName)"
        guard Files.exists(path) else { return true }
        return (try? FileLock.isHeld(path)) == false
    }

    /// A child that outlived its runner is told to end, and its lock says when it has (A2).
    private static func remains(
        of task: QueueTask, _ attempt: AttemptRecord?, process: ProcessRecord, folder: String
    ) -> Remains {
        guard let lease = task.running else { return .gone }
        let name = childLockName(process: process.id, task: task.id, attempt: lease.attempt)
        let path = "\(folder)/\(name)"
        guard Files.exists(path), (try? FileLock.isHeld(path)) == true else {
            try? Files.remove(path)
            return .gone
        }
        if let pid = attempt?.childPID, let start = attempt?.childStartTime {
            // Where it cannot be signalled it is still blocked, and its lock says when it ends.
            _ = try? ChildProcess.signalGroup(
                processID: Int32(truncatingIfNeeded: pid), startTime: start, signal: .terminate)
        }
        return .orphan(pid: attempt?.childPID)
    }

    /// Tasks whose orphan has ended since: its lock is free.
    private static func freedOrphans(
        in store: any QueueStore, folder: String
    ) throws -> [TaskID] {
        try store.readBlocking { store in
            var freed: [TaskID] = []
            for queue in try store.queues()
            where try store.counts(queue: queue.name).waiting(in: .lingering) > 0 {
                for lane in Lane.all where lane.contains(.lingering) {
                    let query = TaskQuery(queue: queue.name, lane: lane, limit: 1000)
                    freed += try store.tasks(matching: query).filter { task in
                        guard let lingering = task.waiting?.lingering, lingering.kind == .orphan
                        else { return false }
                        let name = childLockName(
                            process: lingering.owner, task: task.id, attempt: lingering.attempt)
                        return (try? FileLock.isHeld("\(folder)/\(name)")) != true
                    }.map(\.id)
                }
            }
            return freed
        }
    }
}
