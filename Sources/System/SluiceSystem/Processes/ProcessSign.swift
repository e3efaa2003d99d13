import Glibc
import SluiceC

/// The signs of whether a process of this machine is alive and running: its lock and its line in
/// /proc. Both stay open, so that a check takes one system call each.
package final class ProcessSign: Sendable {
    private let lock: FileDescriptor
    private let line: FileDescriptor?

    /// The signs of a process that holds a lock (`FileLock`); `nil` without such a lock.
    package init?(lockPath: String, processID: Int32) {
        let flags = O_RDONLY | O_NOFOLLOW
        guard let lock = try? FileDescriptor(opening: lockPath, flags: flags) else { return nil }
        self.lock = lock
        line = try? FileDescriptor(opening: "/proc/\(processID)/stat", flags: O_RDONLY)
    }

    /// Whether it, or a child that it left its lock to, lives.
    package var lives: Bool {
        // Shared, so that two who ask do not see each other.
        let result = csys_flock(lock.number, .shared)
        if result == 1 { _ = csys_flock(lock.number, .release) }
        return result == 0
    }

    /// Whether a signal or a debugger has stopped it until it is resumed.
    package var isHalted: Bool {
        withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { head in
            // Its number, its name of at most 15 bytes in parentheses, and its state.
            guard let count = try? line?.read(into: head, at: 0),
                let end = head[..<count].lastIndex(of: UInt8(ascii: ")")), end + 2 < count
            else { return false }
            return head[end + 2] == UInt8(ascii: "T") || head[end + 2] == UInt8(ascii: "t")
        }
    }
}
