import Glibc

extension Files {
    /// Replaces a file whole or not at all, surviving a crash of the machine.
    ///
    /// Writes a temporary file in the same folder, brings it to the disk, gives it the name and
    /// brings the folder to the disk.
    public static func writeAtomically(
        _ bytes: [UInt8], to path: String, mode: UInt32 = 0o600
    ) throws(SystemError) {
        var random = SystemRandom()
        let temporary = "\(path).\(String(random.next(), radix: 36)).tmp"
        do {
            let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW
            let file = try FileDescriptor(opening: temporary, flags: flags, mode: mode)
            try file.writeAll(bytes)
            try file.sync()
            try rename(temporary, to: path)
        } catch {
            unlink(temporary)
            throw SystemError(error.operation, path: path, reason: error.reason)
        }
        try syncFolder(parent(of: path))
    }

    /// Brings a folder's list of names to the disk.
    public static func syncFolder(_ folder: String) throws(SystemError) {
        let descriptor = try FileDescriptor(opening: folder, flags: O_RDONLY | O_DIRECTORY)
        guard fsync(descriptor.number) == 0 else { throw .last(.sync, path: folder) }
    }

    /// Gives a file or folder another name, replacing what had it.
    public static func rename(_ old: String, to new: String) throws(SystemError) {
        guard Glibc.rename(old, new) == 0 else { throw .last(.rename, path: old) }
    }

    /// Makes a folder if there is none, and on request those above it.
    public static func makeDirectory(
        _ path: String, mode: UInt32 = 0o700, withParents: Bool = false
    ) throws(SystemError) {
        if mkdir(path, mode) == 0 { return }
        let error = SystemError.last(.makeDirectory, path: path)
        if error.errorNumber == EEXIST, kind(path) == .folder { return }
        let above = parent(of: path)
        guard withParents, error.errorNumber == ENOENT, above != path else { throw error }
        try makeDirectory(above, mode: mode, withParents: true)
        try makeDirectory(path, mode: mode)
    }

    /// Makes an empty folder of a new name that starts with `prefix`, below TMPDIR or /tmp.
    public static func makeTemporaryDirectory(prefix: String) throws(SystemError) -> String {
        let base = ProcessIdentity.environment("TMPDIR") ?? "/tmp"
        var template = Array("\(base)/\(prefix)XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw .last(.makeDirectory, path: base) }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Removes a file, link or empty folder; nothing happens when there is none.
    public static func remove(_ path: String) throws(SystemError) {
        if Glibc.remove(path) == 0 { return }
        let error = SystemError.last(.remove, path: path)
        if !error.isMissing { throw error }
    }

    /// Removes a folder with all below it; links are removed, not followed.
    public static func removeTree(_ path: String) throws(SystemError) {
        if kind(path, followLinks: false) == .folder {
            for name in try list(path) { try removeTree("\(path)/\(name)") }
        }
        try remove(path)
    }
}
