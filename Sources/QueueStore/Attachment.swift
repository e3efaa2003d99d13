public import Platform
public import QueueModel

/// A process that is attached to a store: its row, and the lock on a file of its own by which
/// others see at once that it lives (A2). A store without a run folder has no locks, and nobody
/// in it dies.
public final class Attachment: Sendable {
    /// The row, as it was when it attached.
    public let process: ProcessRecord
    private let store: any QueueStore
    private let lock: FileLock?

    /// Attaches this process with a role; the lock is held before the row can be seen.
    public init(
        to store: any QueueStore, role: ProcessRecord.Role, now: Timestamp,
        configure: @Sendable (inout ProcessRecord) -> Void = { _ in }
    ) throws {
        self.store = store
        let identity = try HostIdentity.current()
        var random = SystemRandom()
        let name = "\(identity.pid)-\(String(random.next(), radix: 36)).lock"
        if let folder = store.runFolder {
            try Files.makeDirectory(folder)
            let path = "\(folder)/\(name)"
            guard let lock = try FileLock.tryLock(path) else {
                throw QueueError(
                    .denied, "the lock file \(path) is held by somebody else",
                    fix: "try again")
            }
            self.lock = lock
        } else {
            lock = nil
        }
        var record = ProcessRecord(
            id: 0, role: role, host: identity.host, bootID: identity.bootID, pid: identity.pid,
            lockName: name, attachedAt: now)
        configure(&record)
        let wanted = record
        let instant = SystemClock.monotonicMilliseconds()
        process = try store.writeBlocking { store in
            let mutation = Mutation(store, now: now)
            return try mutation.attach(wanted)
        }
        store.beats?.attached(process.id, at: instant)
    }

    /// Puts the row back, where others took this process for dead meanwhile: what it had in hand
    /// is no longer its own.
    public func attachAgain(configure: (inout ProcessRecord) -> Void) throws {
        let instant = SystemClock.monotonicMilliseconds()
        var record = process
        configure(&record)
        let wanted = record
        try store.writeBlocking { store in
            guard try !store.processes().contains(where: { $0.id == wanted.id }) else { return }
            try store.put(wanted)
        }
        store.beats?.attached(process.id, at: instant)
    }

    /// Leaves the store: what it still has in hand waits again, not counted.
    public func detach(now: Timestamp) throws {
        let id = process.id
        defer { try? lock?.removeAndRelease() }
        store.beats?.detached(id)
        try store.writeBlocking { store in
            let mutation = Mutation(store, now: now)
            try mutation.detach(id)
            try mutation.finish()
        }
    }
}

/// Which process of which boot of which machine this is.
public struct HostIdentity: Hashable, Sendable {
    /// The machine's name.
    public var host: String
    /// The machine's boot.
    public var bootID: String
    /// The process.
    public var pid: Int64

    /// This process; the name of the host can be given by `SLUICE_TEST_HOST` for pictures.
    public static func current() throws(SystemError) -> HostIdentity {
        HostIdentity(
            host: ProcessIdentity.environment("SLUICE_TEST_HOST") ?? ProcessIdentity.hostName,
            bootID: try ProcessIdentity.bootID(),
            pid: ProcessIdentity.environment("SLUICE_TEST_PID").flatMap { Int64($0) }
                ?? Int64(ProcessIdentity.processID))
    }
}
