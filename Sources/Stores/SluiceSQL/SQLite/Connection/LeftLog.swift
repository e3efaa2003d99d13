import SluiceCSQLite
import SluiceSystem

/// The write-ahead log of a removed file, and the log's index, at the path of a new file.
///
/// SQLite clears an index that no process has open. If a program still has it open with the removed
/// file, the new file would use it, with pages that its log lacks.
struct LeftLog {
    private static let pause = WaitPause(shortestMicroseconds: 250, longestMicroseconds: 25_000)
    private let path: String

    /// The possible leftovers of `path`.
    init(of path: String) { self.path = path }

    /// Removes both if no file exists at the path.
    ///
    /// If several processes create the file together, the lock of the index lets only one remove
    /// them. It removes the index last: as long as the index exists, no process has created a new
    /// file.
    func remove() throws(SystemError) {
        let index: FileDescriptor
        do {
            index = try FileDescriptor(opening: "\(path)-shm", flags: csq_read)
        } catch {
            if error.isMissing { return }
            throw error
        }
        let begun = SystemClock.monotonicNanoseconds()
        var random = SystemRandom()
        while try !index.tryLock() {
            let waited = SystemClock.monotonicNanoseconds() - begun
            Thread.pause(
                microseconds: Self.pause.microseconds(waitedNanoseconds: waited, using: &random))
        }
        let named = try Files.status("\(path)-shm", followLinks: false)?.identity
        guard try index.status().identity == named, try Files.status(path) == nil else { return }
        try Files.remove("\(path)-wal")
        try Files.remove("\(path)-shm")
    }
}
