import Glibc
import SluiceC

/// Asking the file system.
package enum Files {
    /// The status of a path, or `nil` if it does not exist.
    package static func status(
        _ path: String, followLinks: Bool = true
    ) throws(SystemError) -> FileStatus? {
        var raw = stat()
        let result = followLinks ? stat(path, &raw) : lstat(path, &raw)
        if result == 0 { return FileStatus(raw) }
        let error = SystemError.last(.status, path: path)
        if error.isMissing { return nil }
        throw error
    }

    /// The kind of file at a path; `nil` if missing or not accessible.
    package static func kind(_ path: String, followLinks: Bool = true) -> FileStatus.Kind? {
        (try? status(path, followLinks: followLinks))?.kind
    }

    /// Whether something visible has this name.
    package static func exists(_ path: String) -> Bool {
        kind(path) != nil
    }

    /// Reads a file whole; throws when it has more than `limitBytes`.
    package static func read(_ path: String, limitBytes: Int) throws(SystemError) -> [UInt8] {
        do {
            return try openContent(path).readAll(limitBytes: limitBytes)
        } catch {
            throw SystemError(error.operation, path: path, reason: error.reason)
        }
    }

    /// Opens input to read to its end: a file, or the unnamed pipe of a shell's `<(command)`.
    ///
    /// Throws immediately for folders, for named pipes (a writer may never come) and for devices
    /// (which may never end).
    package static func openContent(_ path: String) throws(SystemError) -> FileDescriptor {
        let file = try FileDescriptor(opening: path, flags: O_RDONLY | O_NONBLOCK)
        switch try file.status().kind {
        case .file, .symlink, .socket: break
        case .folder: throw SystemError(.read, path: path, reason: .code(EISDIR))
        case .device: throw SystemError(.read, path: path, reason: .device)
        case .fifo:
            guard (try? realPath(path)) == nil else {
                throw SystemError(.read, path: path, reason: .namedPipe)
            }
            try file.setNonBlocking(false)
        }
        return file
    }

    /// The names in a folder, sorted, without `.` and `..`.
    package static func list(_ folder: String) throws(SystemError) -> [String] {
        guard let stream = opendir(folder) else { throw .last(.list, path: folder) }
        defer { closedir(stream) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                if errno != 0 { throw .last(.list, path: folder) }
                break
            }
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// The absolute path without links, `.` and `..`; throws when it does not exist.
    package static func realPath(_ path: String) throws(SystemError) -> String {
        guard let real = realpath(path, nil) else { throw .last(.resolve, path: path) }
        defer { free(real) }
        return String(cString: real)
    }

    /// The target of a symbolic link, unchanged.
    package static func readLink(_ path: String) throws(SystemError) -> String {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = buffer.withUnsafeMutableBytes { bytes in
            bytes.baseAddress.map {
                readlink(path, $0.assumingMemoryBound(to: CChar.self), bytes.count)
            } ?? 0
        }
        guard count >= 0 else { throw .last(.resolve, path: path) }
        return String(decoding: buffer.prefix(count), as: UTF8.self)
    }

    /// The part of a path before its last component, or `.` without one.
    package static func parent(of path: String) -> String {
        var bytes = path.utf8[...]
        while bytes.count > 1, bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
        guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == bytes.startIndex ? "/" : String(bytes[..<slash]) ?? "."
    }

    package static func lastName(of path: String) -> String {
        var bytes = path.utf8[...]
        while bytes.count > 1, bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
        guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else {
            return String(bytes) ?? path
        }
        return String(bytes[bytes.index(after: slash)...]) ?? path
    }
}

extension Files {
    /// Replaces a file whole or not at all, surviving a crash of the machine.
    ///
    /// Writes a temporary file in the same folder, brings it to the disk, gives it the name and
    /// brings the folder to the disk. Written by root it belongs to the owner of `place`, where one
    /// is named.
    package static func writeAtomically(
        _ bytes: [UInt8], to path: String, mode: UInt32 = 0o600, ofOwnerOf place: String? = nil
    ) throws(SystemError) {
        let temporary = temporaryName(for: path)
        do {
            let file = try create(temporary, mode: mode)
            if let place { file.giveToOwner(of: place) }
            try file.writeAll(bytes)
            try file.sync()
            try rename(temporary, to: path)
        } catch {
            unlink(temporary)
            throw SystemError(error.operation, path: path, reason: error.reason)
        }
        try syncFolder(parent(of: path))
    }

    /// An unused name next to `path`, for a file that will replace it.
    package static func temporaryName(for path: String) -> String {
        var random = SystemRandom()
        return "\(path).\(String(random.next(), radix: 36)).tmp"
    }

    /// Makes a file for writing; throws where something has the name.
    package static func create(
        _ path: String, mode: UInt32 = 0o600
    ) throws(SystemError) -> FileDescriptor {
        try FileDescriptor(
            opening: path, flags: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: mode)
    }

    /// Brings a folder's list of names to the disk.
    package static func syncFolder(_ folder: String) throws(SystemError) {
        let descriptor = try FileDescriptor(opening: folder, flags: O_RDONLY | O_DIRECTORY)
        guard fsync(descriptor.number) == 0 else { throw .last(.sync, path: folder) }
    }

    /// Gives a file or folder another name; replaces an existing file.
    package static func rename(_ old: String, to new: String) throws(SystemError) {
        guard Glibc.rename(old, new) == 0 else { throw .last(.rename, path: old) }
    }

    /// Exchanges two names atomically; returns false if the disk does not support it.
    package static func exchange(_ one: String, _ other: String) throws(SystemError) -> Bool {
        if csys_exchange(one, other) == 0 { return true }
        if errno == EINVAL || errno == ENOSYS { return false }
        throw .last(.rename, path: one)
    }

    /// Gives a file another name unless something has it; false where something does.
    package static func renameIfNew(_ old: String, to new: String) throws(SystemError) -> Bool {
        if csys_rename_new(old, new) == 0 { return true }
        if errno == EEXIST { return false }
        guard errno == EINVAL || errno == ENOSYS else { throw .last(.rename, path: old) }
        if try status(new, followLinks: false) != nil { return false }
        try rename(old, to: new)
        return true
    }

    /// Creates a folder if missing, optionally with its parents.
    package static func makeDirectory(
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

    /// Makes an empty file below TMPDIR or /tmp that has no name and goes with its descriptor.
    package static func makeUnnamed() throws(SystemError) -> FileDescriptor {
        let base = ProcessIdentity.environment("TMPDIR") ?? "/tmp"
        let path = temporaryName(for: "\(base)/sluice")
        let file = try FileDescriptor(
            opening: path, flags: O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
        try remove(path)
        return file
    }

    /// Flushes all written data of the disk that holds `path`.
    package static func syncDisk(of path: String) throws(SystemError) {
        let descriptor = try FileDescriptor(opening: path, flags: O_RDONLY)
        guard csys_sync_disk(descriptor.number) == 0 else { throw .last(.sync, path: path) }
    }

    /// Makes an empty folder of a new name that starts with `prefix`, below TMPDIR or /tmp.
    package static func makeTemporaryDirectory(prefix: String) throws(SystemError) -> String {
        let base = ProcessIdentity.environment("TMPDIR") ?? "/tmp"
        var template = Array("\(base)/\(prefix)XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw .last(.makeDirectory, path: base) }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Removes a file, link or empty folder. Does nothing if missing.
    package static func remove(_ path: String) throws(SystemError) {
        if Glibc.remove(path) == 0 { return }
        let error = SystemError.last(.remove, path: path)
        if !error.isMissing { throw error }
    }

    /// Removes a folder with its contents; removes links without following them.
    package static func removeTree(_ path: String) throws(SystemError) {
        if kind(path, followLinks: false) == .folder {
            for name in try list(path) { try removeTree("\(path)/\(name)") }
        }
        try remove(path)
    }
}
