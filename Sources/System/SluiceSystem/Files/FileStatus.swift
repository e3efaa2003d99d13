import Glibc

/// The file system's information about one name.
package struct FileStatus: Equatable, Sendable {
    package enum Kind: Equatable, Sendable {
        case file
        case folder
        /// A symbolic link (only where links are not followed).
        case symlink
        /// A character or block device.
        case device
        /// A named pipe.
        case fifo
        case socket
    }

    package let kind: Kind
    package let sizeBytes: Int64
    /// The permission bits, as in 0o600.
    package let mode: UInt32
    /// The owner's user number.
    package let ownerID: UInt32
    package let groupID: UInt32
    package let linkCount: UInt64
    /// When the content last changed, in nanoseconds since 1970.
    package let modifiedNanoseconds: Int64
    /// The device of the file; with `inode` it identifies the file under any name.
    package let device: UInt64
    /// Its number on that device.
    package let inode: UInt64

    init(_ raw: stat) {
        kind =
            switch raw.st_mode & S_IFMT {
            case S_IFDIR: .folder
            case S_IFLNK: .symlink
            case S_IFCHR, S_IFBLK: .device
            case S_IFIFO: .fifo
            case S_IFSOCK: .socket
            default: .file
            }
        sizeBytes = Int64(raw.st_size)
        mode = raw.st_mode & 0o7777
        ownerID = raw.st_uid
        groupID = raw.st_gid
        linkCount = UInt64(raw.st_nlink)
        modifiedNanoseconds =
            Int64(raw.st_mtim.tv_sec) * 1_000_000_000 + Int64(raw.st_mtim.tv_nsec)
        device = UInt64(raw.st_dev)
        inode = UInt64(raw.st_ino)
    }
}

extension FileStatus {
    /// The identity of a file under any name: a path may later lead to another file.
    package struct Identity: Hashable, Sendable, CustomStringConvertible {
        fileprivate let device: UInt64
        fileprivate let inode: UInt64

        /// One word, the same for the same file until the machine starts again.
        package var description: String { "\(device)-\(inode)" }
    }

    package var identity: Identity { Identity(device: device, inode: inode) }
}

extension FileDescriptor {
    /// The status of the open file, for any current name.
    package func status() throws(SystemError) -> FileStatus {
        var raw = stat()
        guard fstat(number, &raw) == 0 else { throw .last(.status) }
        return FileStatus(raw)
    }
}
