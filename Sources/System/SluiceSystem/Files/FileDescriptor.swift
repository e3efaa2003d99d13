import Glibc
import SluiceC

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

extension FileDescriptor {
    /// Reads at a place, the descriptor's own place untouched; 0 at the end of the file.
    package func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
    ) throws(SystemError) -> Int {
        while true {
            let got = pread(number, buffer.baseAddress, buffer.count, off_t(offset))
            if got >= 0 { return got }
            if errno != EINTR { throw .last(.read) }
        }
    }

    /// Writes all bytes at the descriptor's offset.
    package func writeAll(_ bytes: UnsafeRawBufferPointer) throws(SystemError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let put = write(number, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if put < 0, errno != EINTR { throw .last(.write) }
            rest = rest.dropFirst(max(put, 0))
        }
    }

    /// Cuts the file at a length.
    package func truncate(to bytes: Int64) throws(SystemError) {
        guard ftruncate(number, off_t(bytes)) == 0 else { throw .last(.write) }
    }

    /// Brings the content to the disk, not the times (fdatasync).
    package func syncContent() throws(SystemError) {
        guard fdatasync(number) == 0 else { throw .last(.sync) }
    }

    /// Takes the whole file's lock without waiting; false when another open file holds it.
    package func tryLock() throws(SystemError) -> Bool {
        let result = csys_flock(number, .exclusive)
        guard result >= 0 else { throw .last(.lock) }
        return result == 1
    }

    /// Takes a share of the whole file's lock without waiting; false when another open file has it
    /// alone.
    package func tryShareLock() throws(SystemError) -> Bool {
        let result = csys_flock(number, .shared)
        guard result >= 0 else { throw .last(.lock) }
        return result == 1
    }

    /// Frees the lock, also where another process has the descriptor as well.
    package func unlock() {
        _ = csys_flock(number, .release)
    }

    /// An extended attribute (`user.…`); nil where the file has none, or its file system cannot
    /// keep one.
    package func attribute(_ name: String) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 1024)
        let count = csys_get_attribute(number, name, &bytes, bytes.count)
        return count > 0 ? Array(bytes.prefix(count)) : nil
    }

    /// Sets an extended attribute; false where the file system cannot keep one.
    @discardableResult
    package func setAttribute(_ name: String, _ bytes: [UInt8]) -> Bool {
        csys_set_attribute(number, name, bytes, bytes.count) == 0
    }
}
