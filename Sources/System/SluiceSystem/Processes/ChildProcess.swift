import Glibc
import SluiceC

/// A program started by this process.
///
/// Its end makes `pidfd` readable. Then `reap` it; `survivors` returns the processes that it left.
/// Without a reap it stays a zombie until this process ends.
package final class ChildProcess: Sendable {
    package enum Exit: Equatable, Sendable {
        /// It returned this code, 0 to 255.
        case code(Int32)
        case signal(Signal)
    }

    /// The child's process number, also the number of its group unless it shares this process's
    /// group.
    package let processID: Int32
    /// When it started, in clock ticks since boot (see `ProcessIdentity.startTime`).
    package let startTime: UInt64
    /// Readable once the child has ended.
    package let pidfd: FileDescriptor
    /// Our end of its standard input, if that is a pipe; close it to end the input.
    package let input: FileDescriptor?
    /// Our end of its standard output, if that is a pipe.
    package let output: FileDescriptor?
    /// Our end of its standard error, if that is a pipe.
    package let errors: FileDescriptor?

    let leadsGroup: Bool
    private let exit = Protected<Exit?>(nil)

    private init(_ processID: Int32, pidfd: FileDescriptor, plan: SpawnPlan, leadsGroup: Bool) {
        self.processID = processID
        self.pidfd = pidfd
        self.leadsGroup = leadsGroup
        startTime = ProcessIdentity.startTime(of: processID) ?? 0
        input = plan.input
        output = plan.output
        errors = plan.errors
    }

    /// Starts a program in about a millisecond, without own code between fork and exec.
    ///
    /// The child has an empty signal mask, default signals, and only the given descriptors.
    package static func spawn(_ spawn: Spawn) throws(SystemError) -> ChildProcess {
        let path = try ProgramPath.find(spawn.program, environment: spawn.environment)
        let plan = try SpawnPlan(spawn)
        let processID = try OrphanReaper.start { () throws(SystemError) -> Int32 in
            try plan.start(path, spawn)
        }
        let number = csys_pidfd_open(processID)
        guard number >= 0 else {
            let error = SystemError.last(.spawn, path: path)
            kill(processID, SIGKILL)
            waitpid(processID, nil, 0)
            OrphanReaper.forget(processID)
            throw error
        }
        let pidfd = FileDescriptor(owning: number)
        return ChildProcess(
            processID, pidfd: pidfd, plan: plan, leadsGroup: spawn.group != .parent)
    }

    /// How the child ended; nil while it runs. Never waits; later calls give the same answer.
    package func reap() throws(SystemError) -> Exit? {
        try exit.withLock { known throws(SystemError) -> Exit? in
            if known != nil { return known }
            var found = csys_exit()
            guard csys_reap(pidfd.number, &found) == 0 else {
                throw .last(.reap, path: "process \(processID)")
            }
            switch found.kind {
            case .running: return nil
            case .code, .signal: OrphanReaper.forget(processID)
            }
            switch found.kind {
            case .running: return nil
            case .code: known = .code(found.value)
            case .signal: known = .signal(Signal(rawValue: found.value))
            }
            return known
        }
    }

    /// Sends a signal to the child alone; false when it has ended.
    @discardableResult
    package func signal(_ signal: Signal) throws(SystemError) -> Bool {
        if csys_pidfd_send_signal(pidfd.number, signal.rawValue) == 0 { return true }
        if errno == ESRCH { return false }
        throw .last(.kill, path: "process \(processID)")
    }

    /// Sends a signal to every process of the child's group; returns false without any.
    ///
    /// It works until the child is reaped: afterwards its number may belong to another group. A
    /// child in this process's own group is signalled alone.
    @discardableResult
    package func signalGroup(_ signal: Signal) throws(SystemError) -> Bool {
        guard leadsGroup else { return try self.signal(signal) }
        return try exit.withLock { known throws(SystemError) -> Bool in
            guard known == nil else { return false }
            return try Self.send(signal, by: pidfd, group: processID)
        }
    }

    /// Sends a signal to the group that a process leads, if it is still the one that started then.
    ///
    /// For processes that another one started. False when there is no such process.
    @discardableResult
    package static func signalGroup(
        processID: Int32, startTime: UInt64, signal: Signal
    ) throws(SystemError) -> Bool {
        guard processID > 1 else { return false }
        let number = csys_pidfd_open(processID)
        guard number >= 0 else {
            if errno == ESRCH { return false }
            throw .last(.kill, path: "process \(processID)")
        }
        let pidfd = FileDescriptor(owning: number)
        // The pidfd is open, so the following reads concern its process or none.
        guard ProcessIdentity.startTime(of: processID) == startTime else { return false }
        return try send(signal, by: pidfd, group: processID)
    }

    private static func send(
        _ signal: Signal, by pidfd: FileDescriptor, group: Int32
    ) throws(SystemError) -> Bool {
        if csys_pidfd_signal_group(pidfd.number, group, signal.rawValue) == 0 { return true }
        if errno == ESRCH { return false }
        throw .last(.kill, path: "process group \(group)")
    }
}
