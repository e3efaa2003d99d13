import CSystem
import Platform
import QueueModel

/// The lock by which our processes take turns at a folder: on the folder itself, so that no file is
/// made for it. Freed with the last reference, or with its process.
final class FolderLock {
    private let descriptor: FileDescriptor

    private static let patienceNanoseconds: UInt64 = 10_000_000_000

    /// Waits for the lock; throws `storeBusy` after 10 s.
    init(_ folder: String) throws(QueueError) {
        do {
            descriptor = try FileDescriptor(opening: folder, flags: 0)
            let deadline = SystemClock.monotonicNanoseconds() + Self.patienceNanoseconds
            while true {
                let result = csys_flock(descriptor.number, .exclusive)
                if result == 1 { return }
                guard result == 0 else {
                    throw QueueError(
                        .denied, "\(folder) cannot be locked", fix: "put it on a local disk")
                }
                guard SystemClock.monotonicNanoseconds() < deadline else {
                    throw QueueError(
                        .storeBusy, "\(folder) has been locked by another process for 10 s",
                        fix: "look for another sluice that hangs")
                }
                _ = try Poll.wait(fds: [], timeoutMilliseconds: 1)
            }
        } catch let error as QueueError {
            throw error
        } catch let error as SystemError {
            if error.isMissing { throw .noFolder(folder) }
            throw QueueError(.denied, error.sentence, fix: "look at the folder \(folder)")
        } catch {
            throw QueueError(.denied, "\(error)")
        }
    }
}
