import Glibc
import SluiceCSystem

/// The owner of an open file descriptor, which closes it when the last reference goes.
package final class FileDescriptor: Sendable {
    /// The result of a read that does not wait.
    package enum ReadResult: Equatable, Sendable {
        /// At least one byte.
        case bytes([UInt8])
        /// Nothing yet (a non-blocking descriptor only).
        case nothingYet
        /// The end: no more will come.
        case end
    }

    private let open: Protected<Int32>

    /// Takes ownership of a descriptor; no other code may close it.
    package init(owning number: Int32) {
        open = Protected(number)
    }

    /// Opens a file with close-on-exec set.
    ///
    /// `flags` are the flags of open(2); `mode` matters only with O_CREAT.
    package convenience init(
        opening path: String, flags: Int32, mode: UInt32 = 0o600
    ) throws(SystemError) {
        var number: Int32
        repeat {
            number = Glibc.open(path, flags | O_CLOEXEC, mode)
        } while number < 0 && errno == EINTR
        guard number >= 0 else { throw .last(.open, path: path) }
        self.init(owning: number)
    }

    /// Opens the file at `path` for reading: refuses a link, and does not wait for a pipe or
    /// device.
    package convenience init(readingPlain path: String) throws(SystemError) {
        let number = csys_open_plain(path)
        guard number >= 0 else { throw .last(.open, path: path) }
        self.init(owning: number)
    }

    deinit {
        close()
    }

    /// The number, or -1 after `close()`.
    package var number: Int32 { open.withLock { $0 } }

    /// Closes now; a second call does nothing.
    package func close() {
        let number = open.withLock { held -> Int32 in
            defer { held = -1 }
            return held
        }
        if number >= 0 { Glibc.close(number) }
    }

    /// Sets whether reads and writes return immediately instead of waiting.
    package func setNonBlocking(_ on: Bool) throws(SystemError) {
        guard csys_set_nonblocking(number, on ? 1 : 0) == 0 else { throw .last(.open) }
    }

    /// Reads once.
    package func read(atMost count: Int) throws(SystemError) -> ReadResult {
        try RawDescriptor.read(number, atMost: count)
    }

    /// Reads to the end, waiting as long as it takes.
    ///
    /// Throws when there are more than `limitBytes`.
    package func readAll(limitBytes: Int) throws(SystemError) -> [UInt8] {
        try RawDescriptor.readAll(number, limitBytes: limitBytes)
    }

    /// Writes what fits without waiting and returns how many bytes that was, possibly 0.
    package func writeSome(_ bytes: ArraySlice<UInt8>) throws(SystemError) -> Int {
        try RawDescriptor.writeSome(number, bytes)
    }

    /// Writes all, waiting where the descriptor is full.
    package func writeAll(_ bytes: [UInt8]) throws(SystemError) {
        try RawDescriptor.writeAll(number, bytes)
    }

    /// Flushes written data to disk (fsync).
    package func sync() throws(SystemError) {
        guard fsync(number) == 0 else { throw .last(.sync) }
    }

    /// Whether any process has this file, open here for reading, open for writing; nil where the
    /// system does not tell this user.
    package var hasWriter: Bool? {
        switch csys_has_writer(number) {
        case 0: false
        case 1: true
        default: nil
        }
    }

    /// Moves the read offset to that byte.
    package func seek(toByte offset: Int64) throws(SystemError) {
        guard lseek(number, off_t(offset), SEEK_SET) >= 0 else { throw .last(.read) }
    }
}
