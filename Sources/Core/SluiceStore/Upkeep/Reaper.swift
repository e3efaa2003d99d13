package import SluiceModel
import SluiceSystem

/// Finds processes that died without detaching, by their `VitalSigns`, and frees their tasks (A2).
package enum Reaper {
    /// How long a child that outlived its runner has between TERM and KILL (A2).
    package static let orphanGraceMilliseconds: Int64 = 5_000

    /// The result of a search for dead processes.
    package struct Findings: Hashable, Sendable {
        /// The settled attempts of dead processes.
        package var settled: [Settled] = []
        /// Whether an orphan continues, so that another search is due after its grace period.
        package var hasOrphans = false
        /// Whether a live process has no lock file, so that its death causes no notice.
        package var hasUnlocked = false
        /// When the next edit runs out, by the machine's monotonic clock in milliseconds.
        package var nextEditEnd: Int64?
    }

    /// Removes the dead processes of this machine, their remaining children, and expired edits.
    /// `chance` draws the jitter of the retries. `instant` is the monotonic clock in milliseconds,
    /// by default now.
    @discardableResult
    package static func reapTheDead(
        in store: any QueueStore, now: Timestamp, instant: Int64? = nil, chance: Double = 0.5
    ) throws -> Findings {
        guard !store.isReadOnly else { return Findings() }
        let instant = instant ?? SystemClock.monotonicMilliseconds()
        let (signs, folder, heartbeats) = (VitalSigns(of: store), store.runFolder, store.heartbeats)
        let parts = outputParts(in: folder)
        let (dead, alive) = try deadAndAlive(in: store, signs)
        removeParts(parts, except: alive)
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
            for (id, _) in orphans {
                guard let task = try store.task(id), task.waiting?.lingering?.kind == .orphan
                else { continue }
                try mutation.apply(.endLingering, to: task)
            }
            return settled
        }
        forget(dead, folder)
        // Not before the commit: at a server a missing lock does not show that the child ended.
        for (_, lock) in orphans { try? Files.remove(lock) }
        findings.hasOrphans = findings.hasOrphans || findings.settled.contains { $0.isOrphaned }
        return findings
    }

    /// Ends only expired edits and edits of dead processes. A reader may do this to show the
    /// correct state.
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

    /// Check again: a process that is dead by its heartbeat alone may have renewed it.
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

    /// A check of liveness by the locks in a run folder of this machine; a stopped process
    /// (SIGSTOP) does not count. `nil` if the machine does not report its boot.
    package static func liveness(_ folder: String) -> Liveness? {
        guard let bootID = try? ProcessIdentity.numberSpace() else { return nil }
        let known = KnownProcesses(folder)
        return { $0.bootID == bootID && known.goesOn($0) }
    }

    /// The remains of an attempt whose command has ended: a process that left the command's process
    /// group holds its lock. It gets no signal (A3).
    package static func remains(
        of task: QueueTask, _ attempt: AttemptRecord, folder: String?
    ) -> Remains {
        guard let folder, attempt.childPID != nil, let lease = task.running else { return .gone }
        let name = childLockName(process: lease.owner, task: task.id, attempt: lease.attempt)
        let path = "\(folder)/\(name)"
        // Treat an unreadable lock as held; the next search decides.
        return Files.exists(path) && (try? FileLock.isHeld(path)) != false
            ? .orphan(pid: nil) : .gone
    }

    /// Terminates a child that outlived its runner; its lock shows when it has ended (A2).
    private static func remainsOfDead(
        of task: QueueTask, _ attempt: AttemptRecord, process: ProcessRecord,
        _ signs: VitalSigns, folder: String
    ) -> Remains {
        guard let lease = task.running else { return .gone }
        let name = childLockName(process: process.id, task: task.id, attempt: lease.attempt)
        let path = "\(folder)/\(name)"
        let isHere = process.isOfThisMachine
        // A process of another machine has no lock here, and cannot be queried or signalled.
        guard isHere || Files.exists(path),
            signs.goesOn(attempt, lockName: name, isHere: isHere) != false
        else {
            try? Files.remove(path)
            return .gone
        }
        signal(.terminate, to: attempt, lock: path)
        return .orphan(pid: attempt.childPID)
    }

    /// Returns the tasks whose orphan has ended, with its free lock, and the number of remaining
    /// orphans. Sends KILL to orphans that outlived the grace period after TERM.
    private static func freedOrphans(
        in store: any QueueStore, _ signs: VitalSigns, now: Timestamp
    ) throws -> (freed: [(TaskID, lock: String)], left: Int) {
        guard let folder = store.runFolder else { return ([], 0) }
        return try store.readBlocking { store in
            var freed: [(TaskID, lock: String)] = []
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
                        case false?: freed.append((task.id, lock))
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

    /// Signals the group of an execution's child. If the runner died before it recorded the child,
    /// the child's lock identifies it. Without a possible signal the task stays blocked (B12).
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
    /// Whether it ran on this boot of this machine, so that its children can be found.
    fileprivate var isOfThisMachine: Bool {
        (try? ProcessIdentity.numberSpace()) == bootID
    }

    /// Whether the time of its edit is over.
    fileprivate func isSpent(at instant: Int64) -> Bool {
        editing.map { $0.untilInstant <= instant } ?? false
    }
}
