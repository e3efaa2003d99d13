/// A change of one file or name that an export makes; in this order a crash can come between any
/// two of them.
package enum FolderStep: String, Hashable, Sendable, CaseIterable {
    /// The folder for the files of tasks is made.
    case makeFolder
    /// A new content is written beside the file that it will replace.
    case write
    /// It is brought to the disk.
    case sync
    /// It takes the file's place.
    case place
    /// What was swapped out of the inventory's place is removed, or a leftover.
    case clear
    /// The names of a folder are brought to the disk.
    case syncFolder
    /// The file of a task that ended is removed.
    case remove
    /// `sluice.db` notes that all has followed.
    case agree
}
