import Glibc
import SluiceC

/// An open folder: names are resolved inside and below it, under any current name.
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

    /// Opens a path below this folder, with the flags of open(2). Throws `leadsOut` if `..` or a
    /// link would leave it.
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
        // Another file may have taken its name since, so open it without waiting.
        let file = try open(beneath: path, flags: O_RDONLY | O_NONBLOCK | O_NOCTTY)
        return try file.status().kind == .file ? file : nil
    }

    /// Opens a file of this folder for appending. Creates a missing file with access for the owner
    /// only; does not follow a link.
    package func appending(to name: String) throws(SystemError) -> FileDescriptor {
        let flags = O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
        return try open(beneath: name, flags: flags)
    }

    /// Opens a file of this folder for reading; `nil` if missing or no regular file.
    package func reading(_ name: String) throws(SystemError) -> FileDescriptor? {
        guard try status(name)?.kind == .file else { return nil }
        let file = try open(
            beneath: name, flags: O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
        return try file.status().kind == .file ? file : nil
    }

    /// Opens a folder of this folder that other users cannot enter: no link, mode 0700, and owned
    /// by this user or by the owner of this folder. `nil` if missing; any other throws
    /// `notPrivate`.
    package func privateFolder(_ name: String) throws(SystemError) -> OpenFolder? {
        guard let seen = try status(name) else { return nil }
        let refusal = SystemError(.open, path: name, reason: .notPrivate)
        guard seen.kind == .folder else { throw refusal }
        let found = OpenFolder(try open(beneath: name, flags: Self.flags | O_NOFOLLOW))
        let (own, status) = (try self.status(), try found.status())
        let owners = [ProcessIdentity.userID, own.ownerID]
        guard status.mode & 0o077 == 0, owners.contains(status.ownerID) else { throw refusal }
        return found
    }

    /// Makes a file of this folder for writing, with access for the owner only. Throws `isTaken`
    /// where something has the name.
    package func create(_ name: String) throws(SystemError) -> FileDescriptor {
        try open(beneath: name, flags: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW)
    }

    /// Replaces a small file of this folder whole or not at all.
    package func replace(_ name: String, _ bytes: [UInt8]) throws(SystemError) {
        let new = "\(name).new"
        let flags = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
        try open(beneath: new, flags: flags).writeAll(bytes)
        try rename(new, to: name, replacing: true)
    }

    package func status() throws(SystemError) -> FileStatus { try descriptor.status() }

    /// The status of a name in this folder, without following a link; `nil` if missing.
    package func status(_ name: String) throws(SystemError) -> FileStatus? {
        var raw = stat()
        if fstatat(descriptor.number, name, &raw, AT_SYMLINK_NOFOLLOW) == 0 {
            return FileStatus(raw)
        }
        let error = SystemError.last(.status, path: name)
        if error.isMissing { return nil }
        throw error
    }

    /// Makes a folder for the owner only; an existing entry stays.
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

    /// Removes a file or link. Does nothing if missing.
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
