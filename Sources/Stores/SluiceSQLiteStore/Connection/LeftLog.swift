import SluiceCSQLite
import SluicePlatform

/// The write-ahead log of a file that was removed, and the log's index, where a new file is made.
///
/// SQLite empties an index that nobody has open. One that a program still has open with the removed
/// file would be read as the new file's, with pages that its log does not hold.
struct LeftLog {
    private static let pause = WaitPause(shortestMicroseconds: 250, longestMicroseconds: 25_000)
    private let path: String

    /// What may lie beside `path`.
    init(of path: String) { self.path = path }

    /// Removes both where there is no file at the path.
    ///
    /// Of several that make the file at the same moment one removes them, by the lock of the index,
    /// and the index goes last: as long as it has its name, nobody has made a new file.
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
