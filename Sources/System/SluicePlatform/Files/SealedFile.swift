import Glibc
import SluiceCSystem

extension Files {
    /// Where the bytes of a sealed file are.
    package enum SealedPlace: Sendable {
        /// In memory, where nobody can change them any more.
        case memory
        /// On disk below TMPDIR or /tmp, without a name and for their owner only.
        case disk
    }

    /// Makes a file of bytes that is whole and stands at its beginning: for a child to read, whose
    /// end of it does not depend on this process.
    ///
    /// It has no name and goes with the last descriptor of it. It lies in memory, or on disk where
    /// the system makes no such files.
    package static func makeSealed(
        _ bytes: [UInt8], in place: SealedPlace = .memory
    ) throws(SystemError) -> FileDescriptor {
        let number = place == .memory ? csys_memory_file("sluice") : -1
        let file = number >= 0 ? FileDescriptor(owning: number) : try makeUnnamed()
        try file.writeAll(bytes)
        try file.seek(toByte: 0)
        // What cannot be sealed is in nobody's hands but the child's all the same.
        _ = csys_seal(file.number)
        return file
    }
}
