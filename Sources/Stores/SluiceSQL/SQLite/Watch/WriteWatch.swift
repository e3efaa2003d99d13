import SluiceSystem

/// Reports a write to a file once, and again only after another `begin`. A commit writes to the log
/// about twenty times, and each notice costs the writer as much as the write.
struct WriteWatch {
    private let path: String
    private var isBegun = false

    init(_ path: String) { self.path = path }

    /// Reports writes from now on. Does nothing if the file is missing: a log exists once any
    /// process has used the store.
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
