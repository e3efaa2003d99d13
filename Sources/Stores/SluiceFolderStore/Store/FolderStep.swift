/// A change of one file or name that an export makes; in this order a crash can come between any
/// two of them.
package enum FolderStep: String, Hashable, Sendable, CaseIterable {
    /// Creates the folder of task files.
    case makeFolder
    /// Writes new content to a temporary file.
    case write
    /// It is brought to the disk.
    case sync
    /// It takes the file's place.
    case place
    /// Removes a displaced inventory or a leftover.
    case clear
    /// The names of a folder are brought to the disk.
    case syncFolder
    /// Removes the file of an ended task.
    case remove
    /// `sluice.db` notes that all has followed.
    case agree
}
