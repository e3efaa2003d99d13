import SluicePlatform
import SluiceRunner

/// The lock by which others see that a copy goes on (A2). It is one file, which has the name of the
/// lock of whatever attempt the copy is in, and one of its own while it rests: a copy that outlives
/// its runner holds its task back until it has ended.
final class CopyLock {
    private static let prefix = "copy-"

    private let lock: FileLock
    private let restingPath: String
    private var path: String

    /// The descriptor that the copy inherits.
    var descriptor: FileDescriptor { lock.descriptor }

    /// Takes a new lock; nil where the store has no folder for it.
    ///
    /// Its name is made of that of its first attempt, which no other has.
    init?(for execution: Execution) throws(CommandStart.Failure) {
        guard let attempt = execution.childLockPath else { return nil }
        let folder = Files.parent(of: attempt)
        let resting = "\(folder)/\(Self.prefix)\(Files.lastName(of: attempt))"
        let lock: FileLock?
        do throws(SystemError) {
            lock = try FileLock.tryLock(resting)
        } catch {
            throw CommandStart.Failure(error)
        }
        guard let lock else {
            throw CommandStart.Failure(sentence: "another process holds the lock \(resting)")
        }
        (self.lock, path, restingPath) = (lock, resting, resting)
    }

    /// From here on it is the copy's alone.
    func leaveToCopy() { lock.leaveToChildren() }

    /// The copy is in this attempt. Where somebody removed the file, its process is looked for.
    func follow(_ execution: Execution) {
        if let attempt = execution.childLockPath { move(to: attempt) }
    }

    /// It is in none.
    func rest() { move(to: restingPath) }

    /// It has ended.
    func remove() { try? Files.remove(path) }

    private func move(to name: String) {
        guard name != path else { return }
        try? Files.rename(path, to: name)
        path = name
    }

    /// Removes what the copies of runners that were killed have left beside an attempt's lock.
    static func sweep(beside execution: Execution) {
        guard let attempt = execution.childLockPath else { return }
        let folder = Files.parent(of: attempt)
        for name in (try? Files.list(folder)) ?? [] where name.hasPrefix(prefix) {
            let path = "\(folder)/\(name)"
            if (try? FileLock.isHeld(path)) == false { try? Files.remove(path) }
        }
    }
}
