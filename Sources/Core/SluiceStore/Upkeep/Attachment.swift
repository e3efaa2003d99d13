package import SluiceModel
package import SluicePlatform

/// A process that is attached to a store: its row, and the lock on a file of its own by which
/// others see at once that it lives (A2). A store without a run folder has no locks, and nobody
/// in it dies.
package final class Attachment: Sendable {
    /// The row, as it was when it attached.
    package let process: ProcessRecord
    private let store: any QueueStore
    private let lock: Protected<FileLock?>

    /// Attaches this process with a role; the lock is held before the row can be seen.
    package init(
        to store: any QueueStore, role: ProcessRecord.Role, now: Timestamp,
        configure: @Sendable (inout ProcessRecord) -> Void = { _ in }
    ) throws {
        self.store = store
        let identity = try HostIdentity.current()
        var random = SystemRandom()
        let name = "\(identity.pid)-\(String(random.next(), radix: 36)).lock"
        lock = Protected(try store.runFolder.map { try Self.takeLock(name, in: $0) })
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

    private static func takeLock(_ name: String, in folder: String) throws -> FileLock {
        try Files.makeDirectory(folder, ofOwnerOf: Files.parent(of: folder))
        let path = "\(folder)/\(name)"
        if let lock = try FileLock.tryLock(path) { return lock }
        throw QueueError(
            .denied, "the lock file \(path) is held by somebody else", fix: "try again")
    }

    /// Takes the lock anew where its file was removed or replaced; gives its path where that was
    /// so.
    package func keepLock() throws -> String? {
        guard let folder = store.runFolder else { return nil }
        let name = process.lockName
        return try lock.withLock { lock in
            guard let held = lock, try !held.isInPlace() else { return nil }
            lock = try Self.takeLock(name, in: folder)
            return held.path
        }
    }

    /// Puts the row back, where others took this process for dead meanwhile: what it had in hand
    /// is no longer its own.
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

    /// Leaves the store: what it still has in hand waits again, not counted. Where that cannot be
    /// written the row stays, and so does the file of the lock, which is free from now on: the
    /// proof for others that this process is gone.
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

/// Which process of which boot of which machine this is.
package struct HostIdentity: Hashable, Sendable {
    /// The machine's name.
    package var host: String
    /// The machine's boot, and in a container the space of its process numbers.
    package var bootID: String
    /// The process.
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
