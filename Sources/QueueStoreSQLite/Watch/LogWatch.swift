import Platform

/// Tells once that a write-ahead log grew, and again only when that is asked for: a commit writes
/// to it some twenty times, and each notice costs whoever writes as much as what it writes.
struct LogWatch {
    private let path: String
    private var watch: DirectoryWatch?
    private var isBegun = false

    init(_ path: String) { self.path = path }

    /// The watch, which tells of what is written from now on; nil where there is no log: it is
    /// there as soon as somebody has read or written the store.
    mutating func begun() throws(SystemError) -> DirectoryWatch? {
        if isBegun { return watch }
        do {
            if let watch {
                try watch.add(path, for: Self.kinds)
            } else {
                watch = try DirectoryWatch(path, for: Self.kinds)
            }
            isBegun = true
            return watch
        } catch {
            guard error.isMissing else { throw error }
            return nil
        }
    }

    /// Whether it grew since it was begun; then it is to be begun again.
    mutating func hasGrown() throws(SystemError) -> Bool {
        guard isBegun, let watch else { return false }
        let hasGrown = try !watch.drain().isEmpty
        if hasGrown { isBegun = false }
        return hasGrown
    }

    private static let kinds: WatchEvent.Kinds = [.modified, .ownEnd, .once]
}
