package import SluiceModel
package import SluiceSystem

/// A process attached to a store: its row, and a lock on its own file that shows other processes
/// immediately whether it is alive (A2). A store without a run folder has no locks, and no process
/// counts as dead.
package final class Attachment: Sendable {
    /// The row, as it was when it attached.
    package let process: ProcessRecord
    private let store: any QueueStore
    private let lock: Protected<FileLock?>

    /// Attaches this process with a role. It takes the lock before the row becomes visible.
    package init(
        to store: any QueueStore, role: ProcessRecord.Role, now: Timestamp,
        configure: @Sendable (inout ProcessRecord) -> Void = { _ in }
    ) throws {
        self.store = store
        let identity = try HostIdentity.current()
        var random = SystemRandom()
        let name = "\(identity.pid)-\(String(random.next(), radix: 36)).lock"
        lock = Protected(try store.runFolder.map { try Self.acquireLock(name, in: $0) })
        var record = ProcessRecord(
            id: 0, role: role, host: identity.host, bootID: identity.bootID, pid: identity.pid,
            lockName: name, attachedAt: now)
        record.startTime = identity.startTime
        configure(&record)
        let wanted = record
        let instant = SystemClock.monotonicMilliseconds()
        process = try store.transactBlocking(at: now) { mutation in
            return try mutation.attach(wanted)
        }
        store.heartbeats?.attached(process.id, at: instant)
    }

    private static func acquireLock(_ name: String, in folder: String) throws -> FileLock {
        try Files.makeDirectory(folder, ofOwnerOf: Files.parent(of: folder))
        let path = "\(folder)/\(name)"
        if let lock = try FileLock.tryLock(path) { return lock }
        throw QueueError(
            .denied, "the lock file \(path) is held by another process", fix: "try again")
    }

    /// Makes the lock again if its file was removed or replaced; returns its path then.
    package func keepLock() throws -> String? {
        guard let folder = store.runFolder else { return nil }
        let name = process.lockName
        return try lock.withLock { lock in
            guard let held = lock, try !held.isInPlace() else { return nil }
            lock = try Self.acquireLock(name, in: folder)
            return held.path
        }
    }

    /// Restores the row after other processes treated this one as dead. The process no longer owns
    /// its former tasks.
    package func attachAgain(configure: (inout ProcessRecord) -> Void) throws {
        let instant = SystemClock.monotonicMilliseconds()
        var record = process
        configure(&record)
        let wanted = record
        try store.writeBlocking { store in
            guard try !store.processes().contains(where: { $0.id == wanted.id }) else { return }
            try store.put(wanted)
        }
        store.heartbeats?.attached(process.id, at: instant)
    }

    /// Detaches from the store. Its running tasks wait again, without counting an attempt. If the
    /// write fails, the row stays; the released lock still shows others that this process has
    /// ended.
    package func detach(now: Timestamp) throws {
        let id = process.id
        store.heartbeats?.detached(id)
        do {
            try store.transactBlocking(at: now) { mutation in
                try mutation.detach(id)
            }
        } catch {
            lock.withLock { $0?.release() }
            throw error
        }
        lock.withLock { try? $0?.removeAndRelease() }
    }
}

/// The identity of this process: machine, boot and process.
package struct HostIdentity: Hashable, Sendable {
    /// The machine's name.
    package var host: String
    /// The machine's boot, and in a container the space of its process numbers.
    package var bootID: String
    package var pid: Int64
    /// When it started, in the kernel's ticks since boot; nil where its number was given.
    package var startTime: UInt64?

    /// This process; the name of the host can be given by `SLUICE_TEST_HOST` for pictures.
    package static func current() throws(SystemError) -> HostIdentity {
        let given = ProcessIdentity.environment("SLUICE_TEST_PID").flatMap { Int64($0) }
        let pid = ProcessIdentity.processID
        return HostIdentity(
            host: ProcessIdentity.environment("SLUICE_TEST_HOST") ?? ProcessIdentity.hostName,
            bootID: try ProcessIdentity.numberSpace(), pid: given ?? Int64(pid),
            startTime: given == nil ? ProcessIdentity.startTime(of: pid) : nil)
    }
}
