import Glibc

/// Files that root makes for the store of another user belong to that user, as SQLite does it with
/// the files that it makes beside a database: else that user could not open them any more.
extension FileDescriptor {
    /// Gives what is open here to the owner of `place`, where this process is root, made it, and
    /// `place` belongs to another user. A file that has a second name, or that holds something, is
    /// left alone: it may be one that somebody put there.
    package func giveToOwner(of place: String) {
        guard ProcessIdentity.userID == 0,
            let owner = (try? Files.status(place)) ?? nil, owner.ownerID != 0,
            let own = try? status(), own.ownerID == 0
        else { return }
        if own.kind == .file, own.linkCount > 1 || own.sizeBytes > 1 { return }
        // Where it cannot be given away it stays root's, and whoever needs it is told.
        _ = fchown(number, owner.ownerID, owner.groupID)
    }
}

extension Files {
    /// Makes a folder where there is none, for the owner of `place`.
    package static func makeDirectory(
        _ path: String, mode: UInt32 = 0o700, ofOwnerOf place: String
    ) throws(SystemError) {
        let isNew = try Files.status(path, followLinks: false) == nil
        try makeDirectory(path, mode: mode)
        guard ProcessIdentity.userID == 0, isNew else { return }
        let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW
        try FileDescriptor(opening: path, flags: flags).giveToOwner(of: place)
    }
}
