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
    let notice: FileDescriptor

    static func path(of store: String) -> String { "\(store)-run" }

    /// Makes the folder, for its owner alone, where there is none (P5).
    init(of store: String) throws(QueueError) {
        path = Self.path(of: store)
        do {
            try Files.makeDirectory(path, mode: 0o700)
            notice = try FileDescriptor(
                opening: "\(path)/\(Self.noticeName)", flags: csq_open_or_create, mode: 0o600)
        } catch {
            throw SQLiteFailure.error(error, path: store)
        }
    }

    /// Wakes every process that watches. A full disk cannot refuse it: the byte has its place since
    /// the first call, and a reader that misses one is woken by the next.
    func notify() { _ = csq_notify(notice.number) }
}

/// The locks of SQLite have no queue: whoever waits for one looks now and then, and would hardly
/// find it free between the commits of one who takes it again at once. So whoever waits has a
/// share of the lock on the notice, which the kernel frees when it dies; no byte is written, and
/// nobody is woken.
extension RunFolder {
    /// Lets others see that this process waits for its turn to write.
    func waitForTurn() {
        // Where it cannot, it waits as any other program does.
        _ = try? notice.tryShareLock()
    }

    /// Its turn has come, or it no longer waits.
    func endWait() { notice.unlock() }

    /// Whether another process waits; asked by one that does not wait itself.
    var isWaitedFor: Bool {
        guard let isAlone = try? notice.tryLock() else { return false }
        if isAlone { notice.unlock() }
        return !isAlone
    }
}
