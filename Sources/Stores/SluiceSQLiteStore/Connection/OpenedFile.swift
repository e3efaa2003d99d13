import SluiceModel
import SluicePlatform

/// The file of a store as it was opened: a path may lead elsewhere later.
///
/// SQLite would go on with a file that was removed or replaced, and tell of changes as done that
/// nobody else ever sees.
struct OpenedFile {
    private let path: String
    /// Nil where it cannot be told.
    private let identity: FileStatus.Identity?

    /// The file that lies at `path` now.
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
