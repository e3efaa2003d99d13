import Glibc
import SluiceCSystem

/// What tells whether a process of this machine lives and goes on: its lock and its line of the
/// kernel's. Both are kept open, so that asking takes one system call each.
package final class ProcessSign: Sendable {
    private let lock: FileDescriptor
    private let line: FileDescriptor?

    /// Of a process that holds a lock (`FileLock`); nil where there is no such lock.
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

    /// Whether it was halted by a signal or a debugger, and does nothing until it goes on.
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
