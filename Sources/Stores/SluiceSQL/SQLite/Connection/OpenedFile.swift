import SluiceModel
import SluiceSystem

/// The identity of a store's file when opened: the path may later lead to another file.
///
/// SQLite would continue to use a removed or replaced file, and report commits that no other
/// process sees.
struct OpenedFile {
    private let path: String
    /// `nil` if unknown.
    private let identity: FileStatus.Identity?

    /// The current file at `path`.
    init(_ path: String) {
        self.path = path
        identity = Self.identity(of: path)
    }

    /// Throws `noStore` where the path no longer leads to the file.
    func check() throws(QueueError) {
        guard let identity, Self.identity(of: path) != identity else { return }
        throw SQLiteFailure.moved(path)
    }

    private static func identity(of path: String) -> FileStatus.Identity? {
        (try? Files.status(path))?.identity
    }
}
