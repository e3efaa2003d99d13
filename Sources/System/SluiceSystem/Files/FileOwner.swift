import Glibc

/// Files that root creates for another user's store belong to that user, like SQLite's own files
/// next to a database. Otherwise that user could no longer open them.
extension FileDescriptor {
    /// Gives this open file to the owner of `place`, if this process is root and created it, and
    /// `place` belongs to another user. Skips a file with a second name or with content: another
    /// user may have placed it.
    package func giveToOwner(of place: String) {
        guard ProcessIdentity.userID == 0,
            let owner = (try? Files.status(place)) ?? nil, owner.ownerID != 0,
            let own = try? status(), own.ownerID == 0
        else { return }
        if own.kind == .file, own.linkCount > 1 || own.sizeBytes > 1 { return }
        // On failure it stays with root, and its users get an error.
        _ = fchown(number, owner.ownerID, owner.groupID)
    }
}

extension Files {
    /// Creates a missing folder for the owner of `place`.
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
