package import SluiceModel
import SluicePlatform

/// Whether an attached process lives, as this process sees it now (A2).
package enum Vitality: Hashable, Sendable {
    /// It lives.
    case alive
    /// It is gone.
    case dead
    /// Nothing that this process can see decides it.
    case unknown(Doubt)

    /// Why that is so.
    package enum Doubt: Hashable, Sendable {
        /// Its lock file cannot be opened by this user.
        case closedLock
        /// It is on another machine, or in another container, and was not watched long enough.
        case elsewhere
    }
}

/// The one rule by which attached processes, and what they left running, are told to live or to be
/// dead. Claims, verbs, `why`, `runners`, `doctor` and the console all ask it.
///
/// Three facts are asked, in this order:
/// 1. The lock: whoever holds it lives, and a lock that is free says that its process is gone. One
///    whose file is missing, or cannot be opened, says nothing.
/// 2. The process: on the same boot, and where process numbers mean the same, its number and start
///    time name it. One that is gone is dead, whatever became of its lock.
/// 3. The heartbeat, at a server: a process that was silent for 30 s is dead.
package struct VitalSigns: Sendable {
    private let folder: String?
    private let heartbeats: (any ProcessHeartbeats)?
    /// Whether processes of other machines may be attached.
    private let isShared: Bool
    /// Processes of which it is said; nil where they are looked at.
    private let said: [ProcessID: Vitality]?

    /// The signs of the processes of a store.
    package init(of store: any QueueStore) {
        folder = store.runFolder
        heartbeats = store.heartbeats
        isShared = store.isShared
        said = nil
    }

    /// What is said of some processes; all others live.
    package init(saying said: [ProcessID: Vitality] = [:]) {
        (folder, heartbeats, isShared, self.said) = (nil, nil, false, said)
    }

    /// Whether a process lives. In a store without a run folder nobody dies.
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
        // A store on one machine: what an earlier boot left is gone.
        return .dead
    }

    /// Whether a process is known to be dead.
    package func isDead(_ process: ProcessRecord) -> Bool { vitality(of: process) == .dead }

    private func beat(of process: ProcessRecord) -> Vitality {
        guard let heartbeats else { return .unknown(.elsewhere) }
        if heartbeats.missedHeartbeat(of: process.id) != nil { return .dead }
        return heartbeats.hasBeaten(process.id) ? .alive : .unknown(.elsewhere)
    }

    /// Whether a child of an execution goes on: its lock is held, or, where that cannot be asked,
    /// its process is there. Nil where nothing decides it: then it counts as going on, and a person
    /// says `reclaim`. `isHere` says that it was started on this machine, which a store at a server
    /// does not say by itself.
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

    /// Whether what a task waits for of an earlier attempt, in no runner's hand, has ended: for
    /// whoever looks before anybody has cleared up.
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
