import CSQLite
import Platform
import QueueModel

/// The folder beside a store for what its processes have in common on this machine: lock files, and
/// the notice that wakes who watches it.
///
/// A watch on SQLite's own files would wake before the commit can be seen, so the notice is a file
/// of its own, written after each commit.
final class RunFolder: Sendable {
    static let noticeName = "notice"

    let path: String
    /// The notice, and which file it is: the folder may be removed while the store is in use.
    private let notice: Protected<(file: FileDescriptor, identity: FileStatus.Identity)>

    static func path(of store: String) -> String { "\(store)-run" }

    /// Makes the folder, for its owner alone, where there is none (P5).
    init(of store: String) throws(QueueError) {
        path = Self.path(of: store)
        do {
            notice = Protected(try Self.open(path))
        } catch {
            throw SQLiteFailure.error(error, path: store)
        }
    }

    private static func open(
        _ path: String
    ) throws(SystemError) -> (file: FileDescriptor, identity: FileStatus.Identity) {
        try Files.makeDirectory(path, mode: 0o700)
        let file = try FileDescriptor(
            opening: "\(path)/\(noticeName)", flags: csq_open_or_create, mode: 0o600)
        return (file, try file.status().identity)
    }

    /// Wakes every process that watches. A full disk cannot refuse it: the byte has its place since
    /// the first call, and a reader that misses one is woken by the next. Where the folder was
    /// removed it is made again.
    func notify() {
        notice.withLock { notice in
            let named = try? Files.status("\(path)/\(Self.noticeName)", followLinks: false)
            // Where it cannot be made again, those who watch look from time to time.
            if named?.identity != notice.identity, let new = try? Self.open(path) { notice = new }
            _ = csq_notify(notice.file.number)
        }
    }
}

/// The locks of SQLite have no queue: whoever waits for one looks now and then, and would hardly
/// find it free between the commits of one who takes it again at once. So whoever waits has a
/// share of the lock on the notice, which the kernel frees when it dies; no byte is written, and
/// nobody is woken.
extension RunFolder {
    /// Lets others see that this process waits for its turn to write.
    func waitForTurn() {
        // Where it cannot, it waits as any other program does.
        _ = try? notice.withLock { try $0.file.tryShareLock() }
    }

    /// Its turn has come, or it no longer waits.
    func endWait() { notice.withLock { $0.file.unlock() } }

    /// Whether another process waits; asked by one that does not wait itself.
    var isWaitedFor: Bool {
        notice.withLock { notice in
            guard let isAlone = try? notice.file.tryLock() else { return false }
            if isAlone { notice.file.unlock() }
            return !isAlone
        }
    }
}
