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
    private let notice: FileDescriptor

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
