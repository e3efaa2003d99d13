package import SluiceModel
import SluicePlatform

/// Finds processes that died without leaving, by their locks, and clears up behind them (A2).
package enum Reaper {
    /// How long a child that outlived its runner has between TERM and KILL (A2).
    package static let orphanGraceMilliseconds: Int64 = 5_000

    /// What a look for the dead found.
    package struct Findings: Hashable, Sendable {
        /// What became of the executions of the dead.
        package var settled: [Settled] = []
        /// Whether an orphan goes on, so that another look is due after its grace period.
        package var hasOrphans = false
        /// Whether a process lives whose lock is not there, so that nobody is told of its death.
        package var hasUnlocked = false
        /// When the next edit runs out, by the machine's monotonic clock in milliseconds.
        package var nextEditEnd: Int64?
    }

    /// Buries every dead process of this machine, and ends the children they left behind and the
    /// edits whose time is over. `chance` draws the jitter of the retries; `instant` is the
    /// machine's monotonic clock in milliseconds, asked where none is given.
    @discardableResult
    package static func reapTheDead(
        in store: any QueueStore, now: Timestamp, instant: Int64? = nil, chance: Double = 0.5
    ) throws -> Findings {
        guard !store.isReadOnly else { return Findings() }
        let instant = instant ?? SystemClock.monotonicMilliseconds()
        let (folder, heartbeats) = (store.runFolder, store.heartbeats)
        let (dead, alive) = try deadAndAlive(in: store)
        let editors = alive.filter { $0.editing != nil }
        let (orphans, left) =
            try folder.map { try freedOrphans(in: store, folder: $0, now: now) } ?? ([], 0)
        var findings = Findings(hasOrphans: left > 0)
        findings.hasUnlocked =
            heartbeats == nil
            && alive.contains { process in
                folder.map { !Files.exists("\($0)/\(process.lockName)") } ?? false
            }
        findings.nextEditEnd = editors.compactMap { $0.editing?.untilInstant }
            .filter { $0 > instant }.min()
        let spent = editors.filter { $0.isSpent(at: instant) }
        guard !dead.isEmpty || !orphans.isEmpty || !spent.isEmpty else { return findings }
        findings.settled = try store.transactBlocking(at: now) { mutation in
            let store = mutation.store
            let here = Set(try store.processes().map(\.id))
            var settled: [Settled] = []
            for process in dead where here.contains(process.id) {
                guard try isStillDead(process.id, in: store, heartbeats) else { continue }
                settled += try mutation.reap(process.id, chance: chance) { task, attempt in
                    remainsOfDead(of: task, attempt, process: process, folder: folder ?? "")
                }
            }
            for process in spent {
                try mutation.endEditIfSpent(of: process.id, instant: instant)
            }
            for id in orphans {
                guard let task = try store.task(id), task.waiting?.lingering?.kind == .orphan
                else { continue }
                try mutation.apply(.endLingering, to: task)
            }
            return settled
        }
        forget(dead, folder)
        findings.hasOrphans = findings.hasOrphans || findings.settled.contains { $0.isOrphaned }
        return findings
    }

    /// Ends the edits whose time is over or whose process died, and nothing else: what somebody
    /// who only looks may do for the picture to be true.
    package static func endEdits(
        in store: any QueueStore, now: Timestamp, instant: Int64? = nil
    ) throws {
        guard !store.isReadOnly else { return }
        let instant = instant ?? SystemClock.monotonicMilliseconds()
        let (dead, alive) = try deadAndAlive(in: store) { $0.editing != nil }
        let spent = alive.filter { $0.isSpent(at: instant) }
        guard !dead.isEmpty || !spent.isEmpty else { return }
        try store.transactBlocking(at: now) { mutation in
            for process in dead { try mutation.endEdit(of: process.id) }
            for process in spent {
                try mutation.endEditIfSpent(of: process.id, instant: instant)
            }
        }
    }

    /// Whoever was dead by its beat alone may have been heard of since.
    private static func isStillDead(
        _ process: ProcessID, in store: any StoreWriter, _ heartbeats: (any ProcessHeartbeats)?
    ) throws -> Bool {
        guard let silent = heartbeats?.missedHeartbeat(of: process) else { return true }
        return try store.lockedHeartbeat(of: process) == silent
    }

    private static func forget(_ dead: [ProcessRecord], _ folder: String?) {
        guard let folder else { return }
        for process in dead { try? Files.remove("\(folder)/\(process.lockName)") }
    }

    /// The attached processes of this machine that are gone.
    package static func deadProcesses(in store: any QueueStore) throws -> [ProcessRecord] {
        try deadAndAlive(in: store).dead
    }

    /// Says of an attached process whether it is gone, by its lock at this moment: for whoever
    /// looks at a store that may hold dead whom nobody has found yet.
    package static func deathSign(
        of store: any QueueStore
    ) -> @Sendable (ProcessRecord) -> Bool {
        guard let folder = store.runFolder else { return { _ in false } }
        let heartbeats = store.heartbeats
        return { process in
            guard let bootID = try? ProcessIdentity.bootID() else { return false }
            return isDead(process, bootID: bootID, folder: folder, heartbeats: heartbeats)
        }
    }

    /// Says of a task that waits for a process of an earlier attempt, in no runner's hand, whether
    /// that has ended, by its lock at this moment: for whoever looks before anybody has cleared up.
    package static func orphanEndSign(
        of store: any QueueStore
    ) -> @Sendable (QueueTask, [AttemptRecord]) -> Bool {
        guard let folder = store.runFolder else { return { _, _ in false } }
        let isShared = store.heartbeats != nil
        return { task, attempts in
            guard let lingering = task.waiting?.lingering, lingering.kind == .orphan else {
                return false
            }
            let attempt = attempts.last { $0.number == lingering.attempt }
            let lock = "\(folder)/\(lockName(of: lingering, task.id))"
            return goesOn(attempt, lock: lock, isShared: isShared) == false
        }
    }

    private static func lockName(of lingering: Lingering, _ task: TaskID) -> String {
        childLockName(process: lingering.owner, task: task, attempt: lingering.attempt)
    }

    private static func deadAndAlive(
        in store: any QueueStore, where isMeant: (ProcessRecord) -> Bool = { _ in true }
    ) throws -> (dead: [ProcessRecord], alive: [ProcessRecord]) {
        let all = try store.readBlocking { try $0.processes() }.filter(isMeant)
        guard !all.isEmpty, let folder = store.runFolder else { return ([], all) }
        let bootID = try ProcessIdentity.bootID()
        var (dead, alive): ([ProcessRecord], [ProcessRecord]) = ([], [])
        for process in all {
            if isDead(process, bootID: bootID, folder: folder, heartbeats: store.heartbeats) {
                dead.append(process)
            } else {
                alive.append(process)
            }
        }
        return (dead, alive)
    }

    /// The lock file that the child of an execution inherits.
    package static func childLockName(process: ProcessID, task: TaskID, attempt: Int) -> String {
        "child-\(process)-\(task)-\(attempt).lock"
    }

    private static func isDead(
        _ process: ProcessRecord, bootID: String, folder: String,
        heartbeats: (any ProcessHeartbeats)?
    ) -> Bool {
        let path = "\(folder)/\(process.lockName)"
        let isHere = process.bootID == bootID
        if isHere, Files.exists(path) { return (try? FileLock.isHeld(path)) == false }
        // At a server it may live where its lock cannot be seen.
        if let heartbeats { return heartbeats.missedHeartbeat(of: process.id) != nil }
        // A store on one machine: a container may show its processes another boot than this one,
        // and whoever holds a lock lives. Without that another boot means that it is gone. A lock
        // that is not there means nothing: whoever lives makes it again.
        if !isHere { return !Files.exists(path) || (try? FileLock.isHeld(path)) != true }
        return !process.goesOn
    }

    /// Who lives and goes on, by the locks in a run folder of this machine: a process that was
    /// halted (SIGSTOP) takes nothing. Nil where the machine does not say which boot it is.
    package static func liveness(_ folder: String) -> Liveness? {
        guard let bootID = try? ProcessIdentity.bootID() else { return nil }
        let known = KnownProcesses(folder)
        return { $0.bootID == bootID && known.goesOn($0) }
    }

    /// What goes on of an execution whose command has ended: a process that left the command's
    /// group has its lock. It is not told to end (A3).
    package static func remains(
        of task: QueueTask, _ attempt: AttemptRecord, folder: String?
    ) -> Remains {
        guard let folder, attempt.childPID != nil, let lease = task.running else { return .gone }
        let name = childLockName(process: lease.owner, task: task.id, attempt: lease.attempt)
        return (try? FileLock.isHeld("\(folder)/\(name)")) == true ? .orphan(pid: nil) : .gone
    }

    /// A child that outlived its runner is told to end, and its lock says when it has (A2).
    private static func remainsOfDead(
        of task: QueueTask, _ attempt: AttemptRecord, process: ProcessRecord, folder: String
    ) -> Remains {
        guard let lease = task.running else { return .gone }
        let name = childLockName(process: process.id, task: task.id, attempt: lease.attempt)
        let path = "\(folder)/\(name)"
        guard goesOn(attempt, lock: path) else {
            try? Files.remove(path)
            return .gone
        }
        signal(.terminate, to: attempt, lock: path)
        return .orphan(pid: attempt.childPID)
    }

    /// Whether something of an execution goes on: its lock is held. Where the lock's file was
    /// removed, its child is looked for.
    private static func goesOn(_ attempt: AttemptRecord?, lock path: String) -> Bool {
        if Files.exists(path) { return (try? FileLock.isHeld(path)) == true }
        guard let pid = attempt?.childPID, let start = attempt?.childStartTime else { return false }
        return ProcessIdentity.goesOn(Int32(truncatingIfNeeded: pid), startTime: start)
    }

    /// The same of a store that may be shared; nil for a child of another machine, which cannot be
    /// asked: a person says `reclaim`.
    private static func goesOn(
        _ attempt: AttemptRecord?, lock path: String, isShared: Bool
    ) -> Bool? {
        isShared && !Files.exists(path) ? nil : goesOn(attempt, lock: path)
    }

    /// Tasks whose orphan has ended since, for its lock is free, and how many orphans go on. One
    /// that had its time after TERM gets KILL.
    private static func freedOrphans(
        in store: any QueueStore, folder: String, now: Timestamp
    ) throws -> (freed: [TaskID], left: Int) {
        let isShared = store.heartbeats != nil
        return try store.readBlocking { store in
            var freed: [TaskID] = []
            var left = 0
            for queue in try store.queues(.inUse(.lingering)).map(\.record.name)
            where try store.counts(queue: queue).waiting(in: .lingering) > 0 {
                for waitFlags in WaitFlags.all where waitFlags.contains(.lingering) {
                    let query = TaskQuery(queue: queue, waitFlags: waitFlags, limit: 1000)
                    for task in try store.tasks(matching: query) {
                        guard let lingering = task.waiting?.lingering, lingering.kind == .orphan
                        else { continue }
                        let attempt = try store.attempts(of: task.id)
                            .last { $0.number == lingering.attempt }
                        let lock = "\(folder)/\(lockName(of: lingering, task.id))"
                        switch goesOn(attempt, lock: lock, isShared: isShared) {
                        case true?:
                            left += 1
                            endOrphan(attempt, lock: lock, now: now)
                        case false?:
                            freed.append(task.id)
                            try? Files.remove(lock)
                        case nil: continue
                        }
                    }
                }
            }
            return (freed, left)
        }
    }

    private static func endOrphan(_ attempt: AttemptRecord?, lock: String, now: Timestamp) {
        guard let attempt, let lostAt = attempt.endedAt,
            now - lostAt >= orphanGraceMilliseconds
        else { return }
        signal(.kill, to: attempt, lock: lock)
    }

    /// Signals the group of an execution's child. Where the runner died before it had written who
    /// that is, the child's lock says it. Where it cannot be signalled its task stays blocked, and
    /// says so (B12).
    private static func signal(_ signal: Signal, to attempt: AttemptRecord, lock path: String) {
        if let pid = attempt.childPID, let start = attempt.childStartTime {
            _ = try? ChildProcess.signalGroup(
                processID: Int32(truncatingIfNeeded: pid), startTime: start, signal: signal)
        } else if let child = ProcessIdentity.groupLeader(holding: path) {
            _ = try? ChildProcess.signalGroup(
                processID: child.processID, startTime: child.startTime, signal: signal)
        }
    }
}

extension ProcessRecord {
    /// Whether the process of this machine that the row names goes on, its lock aside.
    fileprivate var goesOn: Bool {
        ProcessIdentity.goesOn(Int32(truncatingIfNeeded: pid), startTime: startTime)
    }

    /// Whether the time of its edit is over.
    fileprivate func isSpent(at instant: Int64) -> Bool {
        editing.map { $0.untilInstant <= instant } ?? false
    }
}
