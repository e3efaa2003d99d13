import SluicePlatform

/// Tells once that a file was written, and again only when that is asked for: a commit writes to
/// the log some twenty times, and each notice costs whoever writes as much as what it writes.
struct WriteWatch {
    private let path: String
    private var isBegun = false

    init(_ path: String) { self.path = path }

    /// Lets what is written from now on be told; nothing where there is no such file: a log is
    /// there as soon as somebody has read or written the store.
    mutating func begin(in watch: DirectoryWatch) throws(SystemError) {
        guard !isBegun else { return }
        do {
            try watch.add(path, for: [.modified, .ownEnd, .once])
            isBegun = true
        } catch {
            guard error.isMissing else { throw error }
        }
    }

    /// Whether notices say that it was written since it was begun; then it is to be begun again.
    mutating func wasWritten(by events: [WatchEvent]) -> Bool {
        guard isBegun, events.contains(where: { $0.path == path }) else { return false }
        isBegun = false
        return true
    }
}
