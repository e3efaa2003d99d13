import SluiceC
import SluiceModel
import SluiceSystem

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

    /// Throws `noStore` if the folder is no longer at its path.
    func check() throws(QueueError) {
        if let identity, Self.identity(of: name) != identity { throw .movedFolder(name) }
    }

    /// Replaces a `noStore` error of `sluice.db` by the folder's own error if the folder has moved.
    func told<Value>(_ result: Result<Value, any Error>) -> Result<Value, any Error> {
        guard case .failure(let error as QueueError) = result, error.code == .noStore else {
            return result
        }
        do { try check() } catch { return .failure(error) }
        return result
    }
}

/// The lock between Sluice processes that use a folder. It locks the folder itself, so it needs no
/// extra file. The last reference or the process's end releases it. A waiting process gives up
/// after 10 s without a change in the folder.
final class FolderLock {
    private let descriptor: FileDescriptor

    private static let timeoutNanoseconds: UInt64 = 10_000_000_000

    private static let pause = WaitPause(shortestMicroseconds: 500, longestMicroseconds: 25_000)
    private static let lookNanoseconds: UInt64 = 100_000_000

    /// Waits for the lock. Throws `storeBusy` after 10 s without a change, and `noStore` if the
    /// folder has moved.
    init(_ folder: String, _ opened: OpenedFolder) throws(QueueError) {
        do {
            descriptor = try FileDescriptor(opening: folder, flags: 0)
            let begun = SystemClock.monotonicNanoseconds()
            var (looked, changed) = (begun, begun)
            var random = SystemRandom()
            var state = Self.state(of: folder)
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
                let now = SystemClock.monotonicNanoseconds()
                if now - looked >= Self.lookNanoseconds {
                    looked = now
                    let found = Self.state(of: folder)
                    if found != state { (state, changed) = (found, now) }
                }
                guard now - changed < Self.timeoutNanoseconds else {
                    throw QueueError(
                        .storeBusy,
                        "\(folder) has been locked for 10 s, and nothing changed it in that time",
                        fix: "sluice workers and fuser \(ShellWord.quoted(folder)) say who has it "
                            + "open")
                }
                Thread.pause(
                    microseconds: Self.pause.microseconds(
                        waitedNanoseconds: now - begun, using: &random))
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

    /// The status of files that the lock's owner changes.
    private static func state(of folder: String) -> [FileStatus?] {
        ["", "/tasks", "/sluice.db-wal"].map { (try? Files.status(folder + $0)) ?? nil }
    }
}
