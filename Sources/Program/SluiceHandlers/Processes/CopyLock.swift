import SluiceRunner
import SluiceSystem

/// The lock that shows others that a copy is alive (A2). It is one file: during an attempt it has
/// the name of the attempt's lock, and otherwise its own name. A copy that outlives its runner
/// blocks its task until it ends.
final class CopyLock {
    private static let prefix = "copy-"

    private let lock: FileLock
    private let restingPath: String
    private var path: String

    var descriptor: FileDescriptor { lock.descriptor }

    /// Takes a new lock; `nil` if the store has no folder for it.
    ///
    /// Its name contains the name of its first attempt, so it is unique.
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

    /// Renames the file for the copy's current attempt. If the file is missing, others check the
    /// process instead.
    func follow(_ execution: Execution) {
        if let attempt = execution.childLockPath { move(to: attempt) }
    }

    func rest() { move(to: restingPath) }

    func remove() { try? Files.remove(path) }

    private func move(to name: String) {
        guard name != path else { return }
        try? Files.rename(path, to: name)
        path = name
    }

    /// Removes the lock files of dead copies next to an attempt's lock.
    static func sweep(beside execution: Execution) {
        guard let attempt = execution.childLockPath else { return }
        let folder = Files.parent(of: attempt)
        for name in (try? Files.list(folder)) ?? [] where name.hasPrefix(prefix) {
            let path = "\(folder)/\(name)"
            if (try? FileLock.isHeld(path)) == false { try? Files.remove(path) }
        }
    }
}
