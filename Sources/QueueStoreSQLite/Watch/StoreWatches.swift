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
    private let withLog: Bool
    private var folder: DirectoryWatch
    /// The file, which may be removed, or have another one moved over it, and its log; nil where
    /// the file is gone.
    private var files: DirectoryWatch?
    private var hasLog = false

    init(_ store: String, withLog: Bool) throws(SystemError) {
        self.store = store
        self.withLog = withLog
        folder = try Self.watch(store)
        files = try DirectoryWatch(store)
        try watchLog()
    }

    /// What to wait for; the files may be left out for a moment.
    func interests(withFiles: Bool) -> [PollInterest] {
        [folder, withFiles ? files : nil].compactMap { $0 }
            .map { PollInterest($0.descriptor.number) }
    }

    /// Takes what came.
    mutating func news() throws(SystemError) -> News {
        var news = News()
        for event in try files?.drain() ?? [] {
            if event.kinds.contains(.modified) { news.logGrew = true }
            if Self.isEnd(event) {
                news.isWorthALook = true
                hasLog = false
            }
        }
        if news.isWorthALook, !Files.exists(store) { files = nil }
        let events = try folder.drain()
        let isBeside = folder.path != RunFolder.path(of: store)
        if isBeside || events.contains(where: { $0.kinds.contains(.gone) }) {
            folder = try Self.watch(store)
        }
        if isBeside || events.contains(where: Self.isNews) { news.isWorthALook = true }
        try watchLog()
        return news
    }

    /// The log is there as soon as somebody has read or written the store.
    private mutating func watchLog() throws(SystemError) {
        guard withLog, !hasLog, let files else { return }
        do {
            try files.add("\(store)-wal")
            hasLog = true
        } catch {
            guard error.isMissing else { throw error }
        }
    }

    private static func watch(_ store: String) throws(SystemError) -> DirectoryWatch {
        let parent = Files.parent(of: store)
        do {
            let folder = try DirectoryWatch(RunFolder.path(of: store))
            // It may be moved away with all that is in it.
            try folder.add(parent, onlyItsEnd: true)
            return folder
        } catch {
            guard error.isMissing else { throw error }
            return try DirectoryWatch(parent)
        }
    }

    /// A file lost its name: its number of links is one of its attributes.
    private static func isEnd(_ event: WatchEvent) -> Bool {
        !event.kinds.isDisjoint(with: [.attributes, .gone])
    }

    /// A commit; a lock file that was closed or removed; more than could be kept.
    private static func isNews(_ event: WatchEvent) -> Bool {
        if event.name == RunFolder.noticeName { return event.kinds.contains(.modified) }
        return !event.kinds.isDisjoint(
            with: [.closedAfterWrite, .deleted, .movedOut, .overflow, .gone])
    }
}
