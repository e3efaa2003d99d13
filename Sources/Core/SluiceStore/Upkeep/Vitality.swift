package import SluiceModel
import SluiceSystem

/// Whether an attached process lives, as this process sees it now (A2).
package enum Vitality: Hashable, Sendable {
    case alive
    case dead
    /// Nothing that this process can see decides it.
    case unknown(Doubt)

    package enum Doubt: Hashable, Sendable {
        /// This user cannot open its lock file.
        case closedLock
        /// It is on another machine, or in another container, and was not watched long enough.
        case elsewhere
    }
}

/// The only rule that decides whether attached processes, and processes they started, are alive.
/// Claims, verbs, `why`, `runners`, `doctor` and the console use it.
///
/// It checks three facts, in this order:
///
/// 1. The lock: its holder is alive, and a free lock shows that its process has ended. A missing or
///   unreadable lock file decides nothing.
/// 2. The process: on the same boot and in the same number space, its number and start time
///   identify it. A missing process is dead in any case.
/// 3. The heartbeat, at a server: a process silent for 30 s is dead.
package struct VitalSigns: Sendable {
    private let folder: String?
    private let heartbeats: (any ProcessHeartbeats)?
    /// Whether processes of other machines may attach.
    private let isShared: Bool
    /// Preset results by process; `nil` to check processes.
    private let said: [ProcessID: Vitality]?

    /// The signs of the processes of a store.
    package init(of store: any QueueStore) {
        folder = store.runFolder
        heartbeats = store.heartbeats
        isShared = store.isShared
        said = nil
    }

    /// Preset results; all other processes are alive.
    package init(saying said: [ProcessID: Vitality] = [:]) {
        (folder, heartbeats, isShared, self.said) = (nil, nil, false, said)
    }

    /// The vitality of a process. In a store without a run folder every process counts as alive.
    package func vitality(of process: ProcessRecord) -> Vitality {
        guard let folder else { return said?[process.id] ?? .alive }
        var isLockClosed = false
        switch lock("\(folder)/\(process.lockName)") {
        case .held: return .alive
        case .free: return .dead
        case .closed: isLockClosed = true
        case .missing: break
        }
        let own = try? ProcessIdentity.numberSpace()
        if let own, process.bootID == own {
            switch ProcessIdentity.presence(
                of: Int32(truncatingIfNeeded: process.pid), startTime: process.startTime)
            {
            case .gone: return .dead
            case .there where !isShared: return .alive
            case .there, .unseen: break
            }
        }
        if isShared { return beat(of: process) }
        if isLockClosed { return .unknown(.closedLock) }
        guard let own, !ProcessIdentity.isSameBoot(process.bootID, own) else {
            return .unknown(.elsewhere)
        }
        // The store is on one machine: processes of an earlier boot have ended.
        return .dead
    }

    package func isDead(_ process: ProcessRecord) -> Bool { vitality(of: process) == .dead }

    /// Whether a sign shows that a process lives. A store without signs has none.
    package func showsLife(of process: ProcessRecord) -> Bool {
        (folder != nil || said?[process.id] != nil) && vitality(of: process) == .alive
    }

    private func beat(of process: ProcessRecord) -> Vitality {
        guard let heartbeats else { return .unknown(.elsewhere) }
        if heartbeats.missedHeartbeat(of: process.id) != nil { return .dead }
        return heartbeats.hasBeaten(process.id) ? .alive : .unknown(.elsewhere)
    }

    /// Whether a child of an attempt continues, by its lock, or by its process if the lock decides
    /// nothing. `nil` if both decide nothing: then it counts as running until a person uses
    /// `reclaim`. `isHere` states that it started on this machine, which a store at a server cannot
    /// know.
    package func goesOn(
        _ attempt: AttemptRecord?, lockName: String, isHere: Bool = false
    ) -> Bool? {
        guard let folder else { return false }
        let lock = lock("\(folder)/\(lockName)")
        switch lock {
        case .held: return true
        case .free: return false
        case .missing where isShared && !isHere: return nil
        case .missing, .closed: break
        }
        guard let pid = attempt?.childPID, let start = attempt?.childStartTime else {
            return lock == .missing ? false : nil
        }
        switch ProcessIdentity.presence(of: Int32(truncatingIfNeeded: pid), startTime: start) {
        case .there: return true
        case .gone: return false
        case .unseen: return nil
        }
    }

    /// Whether the orphan that a task waits for has ended, for readers that look before the
    /// cleanup.
    package func orphanHasEnded(_ task: QueueTask, _ attempts: [AttemptRecord]) -> Bool {
        guard folder != nil, let lingering = task.waiting?.lingering, lingering.kind == .orphan
        else { return false }
        let attempt = attempts.last { $0.number == lingering.attempt }
        return goesOn(attempt, lockName: Reaper.lockName(of: lingering, task.id)) == false
    }

    private enum LockSight { case held, free, missing, closed }

    private func lock(_ path: String) -> LockSight {
        do throws(SystemError) {
            guard try Files.status(path, followLinks: false) != nil else { return .missing }
            return try FileLock.isHeld(path) ? .held : .free
        } catch {
            return .closed
        }
    }
}
