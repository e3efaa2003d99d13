import SluiceCSystem
import SluiceModel
import SluicePlatform

/// The folder that was opened: its name may lead to another one later, or to none.
struct OpenedFolder: Sendable {
    private let name: String
    private let identity: FileStatus.Identity?

    init(_ name: String) {
        self.name = name
        identity = Self.identity(of: name)
    }

    private static func identity(of path: String) -> FileStatus.Identity? {
        (try? Files.status(path))?.identity
    }

    /// Throws `noStore` where it stands there no longer.
    func check() throws(QueueError) {
        if let identity, Self.identity(of: name) != identity { throw .movedFolder(name) }
    }

    /// A failure is the folder's where the folder went: `sluice.db` goes with it.
    func told<Value>(_ result: Result<Value, any Error>) -> Result<Value, any Error> {
        guard case .failure(let error as QueueError) = result, error.code == .noStore else {
            return result
        }
        do { try check() } catch { return .failure(error) }
        return result
    }
}

/// The lock by which our processes take turns at a folder: on the folder itself, so that no file is
/// made for it. Freed with the last reference, or with its process.
final class FolderLock {
    private let descriptor: FileDescriptor

    private static let timeoutNanoseconds: UInt64 = 10_000_000_000

    /// Waits for the lock of what was opened; throws `storeBusy` after 10 s, and `noStore` where it
    /// went before that.
    init(_ folder: String, _ opened: OpenedFolder) throws(QueueError) {
        do {
            descriptor = try FileDescriptor(opening: folder, flags: 0)
            let deadline = SystemClock.monotonicNanoseconds() + Self.timeoutNanoseconds
            while true {
                let result = csys_flock(descriptor.number, .exclusive)
                if result == 1 {
                    try opened.check()
                    return
                }
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
            if error.isMissing {
                try opened.check()
                throw .noFolder(folder)
            }
            throw QueueError(.denied, error.sentence, fix: "look at the folder \(folder)")
        } catch {
            throw QueueError(.denied, "\(error)")
        }
    }
}
