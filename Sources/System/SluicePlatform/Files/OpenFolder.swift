import Glibc
import SluiceCSystem

/// A folder that stays open: names are looked up in it and below it, whatever its own name is now.
package final class OpenFolder: Sendable {
    private static let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC

    private let descriptor: FileDescriptor

    /// Opens a folder by its path, links on the way followed.
    package init(_ path: String) throws(SystemError) {
        descriptor = try FileDescriptor(opening: path, flags: Self.flags)
    }

    private init(_ descriptor: FileDescriptor) { self.descriptor = descriptor }

    /// Opens a folder below this one; `leadsOut` where `..` or a link would leave it.
    package func folder(beneath path: String) throws(SystemError) -> OpenFolder {
        OpenFolder(try open(beneath: path, flags: Self.flags))
    }

    /// Opens what has a path below this folder, with the flags of open(2); `leadsOut` where `..` or
    /// a link would leave it.
    package func open(
        beneath path: String, flags: Int32, mode: UInt32 = 0o600
    ) throws(SystemError) -> FileDescriptor {
        let number = csys_open_beneath(descriptor.number, path, flags, mode)
        guard number >= 0 else { throw .last(.open, path: path) }
        return FileDescriptor(owning: number)
    }

    /// Opens a regular file below this folder for reading; nil where the path names something
    /// else, which is never opened.
    package func file(beneath path: String) throws(SystemError) -> FileDescriptor? {
        guard try open(beneath: path, flags: csys_path_only).status().kind == .file else {
            return nil
        }
        // Another may have taken its name meanwhile: one that would wait is not waited for.
        let file = try open(beneath: path, flags: O_RDONLY | O_NONBLOCK | O_NOCTTY)
        return try file.status().kind == .file ? file : nil
    }

    /// Opens a file of this folder for writing at its end, made for the owner only where there is
    /// none; a link is not followed.
    package func appending(to name: String) throws(SystemError) -> FileDescriptor {
        let flags = O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
        return try open(beneath: name, flags: flags)
    }

    /// Opens a file of this folder for reading; nil where there is none, or no file has the name.
    package func reading(_ name: String) throws(SystemError) -> FileDescriptor? {
        guard try status(name)?.kind == .file else { return nil }
        let file = try open(
            beneath: name, flags: O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
        return try file.status().kind == .file ? file : nil
    }

    /// Replaces a small file of this folder whole or not at all.
    package func replace(_ name: String, _ bytes: [UInt8]) throws(SystemError) {
        let new = "\(name).new"
        let flags = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
        try open(beneath: new, flags: flags).writeAll(bytes)
        try rename(new, to: name, replacing: true)
    }

    /// What this folder is.
    package func status() throws(SystemError) -> FileStatus { try descriptor.status() }

    /// What has a name in this folder, a link not followed; nil when nothing has.
    package func status(_ name: String) throws(SystemError) -> FileStatus? {
        var raw = stat()
        if fstatat(descriptor.number, name, &raw, AT_SYMLINK_NOFOLLOW) == 0 {
            return FileStatus(raw)
        }
        let error = SystemError.last(.status, path: name)
        if error.isMissing { return nil }
        throw error
    }

    /// Makes a folder for the owner only; nothing happens where something has the name.
    package func makeFolder(_ name: String) throws(SystemError) {
        if mkdirat(descriptor.number, name, 0o700) == 0 { return try sync() }
        let error = SystemError.last(.makeDirectory, path: name)
        if !error.isTaken { throw error }
    }

    /// Gives a file another name in this folder, in one step. Unless it `replaces`, it fails with
    /// `isTaken` where something has the name.
    package func rename(
        _ old: String, to new: String, replacing: Bool
    ) throws(SystemError) {
        guard csys_rename_at(descriptor.number, old, new, replacing ? 1 : 0) == 0 else {
            throw .last(.rename, path: new)
        }
    }

    /// Removes a file or link; nothing happens when there is none.
    package func remove(_ name: String) throws(SystemError) {
        if unlinkat(descriptor.number, name, 0) == 0 { return }
        let error = SystemError.last(.remove, path: name)
        if !error.isMissing { throw error }
    }

    /// The names in it, sorted, without `.` and `..`.
    package func names() throws(SystemError) -> [String] {
        try Files.list("/proc/self/fd/\(descriptor.number)")
    }

    /// Brings its list of names to the disk.
    package func sync() throws(SystemError) { try descriptor.sync() }
}
