import Glibc
import SluiceC

extension Files {
    /// The storage of a sealed file's bytes.
    package enum SealedPlace: Sendable {
        /// In memory, protected from changes.
        case memory
        /// On disk below TMPDIR or /tmp, without a name and for their owner only.
        case disk
    }

    /// Makes a file from bytes, positioned at its start, for a child to read independently of this
    /// process.
    ///
    /// It has no name and disappears with its last descriptor. Its bytes are in memory, or on disk
    /// if the system lacks such files.
    package static func makeSealed(
        _ bytes: [UInt8], in place: SealedPlace = .memory
    ) throws(SystemError) -> FileDescriptor {
        let number = place == .memory ? csys_memory_file("sluice") : -1
        let file = number >= 0 ? FileDescriptor(owning: number) : try makeUnnamed()
        try file.writeAll(bytes)
        try file.seek(toByte: 0)
        // Without a seal, still only the child has access.
        _ = csys_seal(file.number)
        return file
    }
}
