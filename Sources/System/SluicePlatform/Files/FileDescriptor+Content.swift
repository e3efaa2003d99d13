import Glibc
import SluiceCSystem

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
