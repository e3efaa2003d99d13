import Platform

/// What is watched for a store: where its processes tell of commits, its file, and the write-ahead
/// log beside it.
struct StoreWatches {
    /// What came since the last time.
    struct News {
        /// Whether anything may have changed for whoever looks at the store.
        var isWorthALook = false
        /// Whether somebody is about to commit.
        var logGrew = false
    }

    private let store: String
    private var folder: DirectoryWatch
    /// The file, which may be removed, or have another one moved over it; nil where it is gone.
    private var file: DirectoryWatch?
    /// The log; nil where nobody asks for it.
    private var log: LogWatch?

    init(_ store: String, withLog: Bool) throws(SystemError) {
        self.store = store
        folder = try Self.watch(store)
        file = try DirectoryWatch(store, for: [.attributes, .ownEnd])
        if withLog {
            var log = LogWatch("\(store)-wal")
            _ = try log.begun()
            self.log = log
        }
    }

    /// What to wait for; the log may be left out for a moment.
    mutating func interests(withLog: Bool) throws(SystemError) -> [PollInterest] {
        let growth = withLog && file != nil ? try log?.begun() : nil
        return [folder, file, growth].compactMap { $0 }
            .map { PollInterest($0.descriptor.number) }
    }

    /// Takes what came.
    mutating func news() throws(SystemError) -> News {
        var news = News()
        news.logGrew = try log?.hasGrown() ?? false
        if let file, try !file.drain().isEmpty { news.isWorthALook = true }
        if news.isWorthALook, !Files.exists(store) { file = nil }
        let events = try folder.drain()
        let isBeside = folder.path != RunFolder.path(of: store)
        if isBeside || events.contains(where: { $0.kinds.contains(.gone) }) {
            folder = try Self.watch(store)
        }
        if isBeside || events.contains(where: Self.isNews) { news.isWorthALook = true }
        return news
    }

    private static func watch(_ store: String) throws(SystemError) -> DirectoryWatch {
        let parent = Files.parent(of: store)
        do {
            let folder = try DirectoryWatch(RunFolder.path(of: store))
            // It may be moved away with all that is in it.
            try folder.add(parent, for: .ownEnd)
            return folder
        } catch {
            guard error.isMissing else { throw error }
            return try DirectoryWatch(parent)
        }
    }

    /// A commit; a lock file that was closed or removed; more than could be kept.
    private static func isNews(_ event: WatchEvent) -> Bool {
        if event.name == RunFolder.noticeName { return event.kinds.contains(.modified) }
        return !event.kinds.isDisjoint(
            with: [.closedAfterWrite, .deleted, .movedOut, .overflow, .gone])
    }
}
