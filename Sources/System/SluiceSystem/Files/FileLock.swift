import Glibc
import SluiceC

/// An exclusive lock on a file; the kernel releases it when its last holder ends (A2).
///
/// The lock belongs to the open file, so a child that inherits `descriptor` holds it as well.
package final class FileLock: Sendable {
    package let path: String
    /// The open file, for `Spawn.inherited`; no child gets it otherwise.
    package let descriptor: FileDescriptor

    private static let attempts = 20
    private static let pauseMicroseconds: UInt32 = 250

    private init(path: String, descriptor: FileDescriptor) {
        self.path = path
        self.descriptor = descriptor
    }

    /// Takes the lock without waiting; `nil` if another process holds it.
    ///
    /// Creates a missing file with mode 0600, for the owner of its folder. `isHeld` in another
    /// process takes the lock for some microseconds, so this gives up only after 5 ms of retries.
    package static func tryLock(_ path: String) throws(SystemError) -> FileLock? {
        var left = attempts
        while left > 0 {
            let flags = O_RDWR | O_CREAT | O_NOFOLLOW
            let descriptor = try FileDescriptor(opening: path, flags: flags)
            descriptor.giveToOwner(of: Files.parent(of: path))
            switch csys_flock(descriptor.number, .exclusive) {
            case 1:
                let lock = FileLock(path: path, descriptor: descriptor)
                // Its former holder may have removed the file after we opened it.
                if try lock.isInPlace() { return lock }
            case 0:
                Thread.pause(microseconds: pauseMicroseconds)
            default:
                throw .last(.lock, path: path)
            }
            left -= 1
        }
        return nil
    }

    /// Whether its file still has the path: others may have removed it, or put another there.
    package func isInPlace() throws(SystemError) -> Bool {
        try Files.status(path, followLinks: false)?.identity == descriptor.status().identity
    }

    /// Whether any process holds the lock now; a missing file is not locked.
    package static func isHeld(_ path: String) throws(SystemError) -> Bool {
        let descriptor: FileDescriptor
        do {
            descriptor = try FileDescriptor(opening: path, flags: O_RDONLY | O_NOFOLLOW)
        } catch {
            if error.isMissing { return false }
            throw error
        }
        // Shared, so that two who ask do not see each other.
        let result = csys_flock(descriptor.number, .shared)
        guard result >= 0 else { throw .last(.lock, path: path) }
        return result == 0
    }

    /// Frees the lock, also for the children that inherited it.
    package func release() {
        if descriptor.number >= 0 { _ = csys_flock(descriptor.number, .release) }
        descriptor.close()
    }

    /// Gives up this process's share: the lock stays held while a child that inherited it lives.
    ///
    /// The same happens when the last reference to this object goes.
    package func leaveToChildren() {
        descriptor.close()
    }

    /// Removes the file, then frees the lock.
    package func removeAndRelease() throws(SystemError) {
        try Files.remove(path)
        release()
    }
}
