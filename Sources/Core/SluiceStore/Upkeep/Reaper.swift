package import SluiceModel
import SluicePlatform

/// Finds processes that died without leaving, by their `VitalSigns`, and frees what they held (A2).
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
        let (signs, folder, heartbeats) = (VitalSigns(of: store), store.runFolder, store.heartbeats)
        let (dead, alive) = try deadAndAlive(in: store, signs)
        let editors = alive.filter { $0.editing != nil }
        let (orphans, left) = try freedOrphans(in: store, signs, now: now)
        var findings = Findings(hasOrphans: left > 0)
        findings.hasUnlocked =
            !store.isShared
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
                    remainsOfDead(of: task, attempt, process: process, signs, folder: folder ?? "")
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
        let (dead, alive) = try deadAndAlive(in: store, VitalSigns(of: store)) {
            $0.editing != nil
        }
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

    /// The attached processes that are gone.
    package static func deadProcesses(in store: any QueueStore) throws -> [ProcessRecord] {
        try deadAndAlive(in: store, VitalSigns(of: store)).dead
    }

    private static func deadAndAlive(
        in store: any QueueStore, _ signs: VitalSigns,
        where isMeant: (ProcessRecord) -> Bool = { _ in true }
    ) throws -> (dead: [ProcessRecord], alive: [ProcessRecord]) {
        var (dead, alive): ([ProcessRecord], [ProcessRecord]) = ([], [])
        for process in try store.readBlocking({ try $0.processes() }).filter(isMeant) {
            if signs.isDead(process) { dead.append(process) } else { alive.append(process) }
        }
        return (dead, alive)
    }

    static func lockName(of lingering: Lingering, _ task: TaskID) -> String {
        childLockName(process: lingering.owner, task: task, attempt: lingering.attempt)
    }

    /// The lock file that the child of an execution inherits.
    package static func childLockName(process: ProcessID, task: TaskID, attempt: Int) -> String {
        "child-\(process)-\(task)-\(attempt).lock"
    }

    /// Who lives and goes on, by the locks in a run folder of this machine: a process that was
    /// halted (SIGSTOP) takes nothing. Nil where the machine does not say which boot it is.
    package static func liveness(_ folder: String) -> Liveness? {
        guard let bootID = try? ProcessIdentity.numberSpace() else { return nil }
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
        let path = "\(folder)/\(name)"
        // A lock that cannot be asked is taken for held: the next look for the dead decides.
        return Files.exists(path) && (try? FileLock.isHeld(path)) != false
            ? .orphan(pid: nil) : .gone
    }

    /// A child that outlived its runner is told to end, and its lock says when it has (A2).
    private static func remainsOfDead(
        of task: QueueTask, _ attempt: AttemptRecord, process: ProcessRecord,
        _ signs: VitalSigns, folder: String
    ) -> Remains {
        guard let lease = task.running else { return .gone }
        let name = childLockName(process: process.id, task: task.id, attempt: lease.attempt)
        let path = "\(folder)/\(name)"
        let isHere = process.isOfThisMachine
        // Of a process of another machine no lock is here, and nothing of it can be asked or told.
        guard isHere || Files.exists(path),
            signs.goesOn(attempt, lockName: name, isHere: isHere) != false
        else {
            try? Files.remove(path)
            return .gone
        }
        signal(.terminate, to: attempt, lock: path)
        return .orphan(pid: attempt.childPID)
    }

    /// Tasks whose orphan has ended since, for its lock is free, and how many orphans go on. One
    /// that had its time after TERM gets KILL.
    private static func freedOrphans(
        in store: any QueueStore, _ signs: VitalSigns, now: Timestamp
    ) throws -> (freed: [TaskID], left: Int) {
        guard let folder = store.runFolder else { return ([], 0) }
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
                        let name = lockName(of: lingering, task.id)
                        let lock = "\(folder)/\(name)"
                        switch signs.goesOn(attempt, lockName: name) {
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
    /// Whether it ran on this boot of this machine, where its children can be looked for.
    fileprivate var isOfThisMachine: Bool {
        (try? ProcessIdentity.numberSpace()) == bootID
    }

    /// Whether the time of its edit is over.
    fileprivate func isSpent(at instant: Int64) -> Bool {
        editing.map { $0.untilInstant <= instant } ?? false
    }
}
