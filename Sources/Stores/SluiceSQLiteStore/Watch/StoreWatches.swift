import SluicePlatform

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
    /// By which all of it is told.
    let watch: DirectoryWatch
    /// Where commits are told, or until that is there the folder of the store.
    private var folder: String
    /// Whether the file is there: it may be removed, or have another one moved over it.
    private var hasFile = true
    /// The log; nil where nobody asks for it.
    private var log: WriteWatch?
    /// The notice, where it is told once and then not before it is asked for again; nil where each
    /// commit is told.
    private var notice: WriteWatch?

    init(
        _ store: String, withLog: Bool, isPaced: Bool, sharing instance: WatchInstance
    ) throws(SystemError) {
        self.store = store
        watch = try DirectoryWatch(store, for: [.attributes, .ownEnd], sharing: instance)
        if isPaced {
            notice = WriteWatch("\(RunFolder.path(of: store))/\(RunFolder.noticeName)")
        }
        folder = try Self.begin(store, in: watch, isPaced: isPaced)
        if withLog { log = WriteWatch("\(store)-wal") }
        try listen(toLog: true)
    }

    /// What to wait for.
    var interests: [PollInterest] { watch.interests }

    /// Lets what comes from now on be told; the log may be left out for a moment.
    mutating func listen(toLog: Bool) throws(SystemError) {
        try notice?.begin(in: watch)
        if toLog, hasFile { try log?.begin(in: watch) }
    }

    /// Takes what came.
    mutating func news() throws(SystemError) -> News {
        var news = News()
        let events = try watch.drain()
        news.logGrew = log?.wasWritten(by: events) ?? false
        if events.contains(where: { $0.path == store || $0.path == nil }) {
            news.isWorthALook = true
            hasFile = Files.exists(store)
        }
        if notice?.wasWritten(by: events) == true { news.isWorthALook = true }
        let isBeside = folder != RunFolder.path(of: store)
        let isTold = events.contains { $0.path == folder && isNews($0) }
        let isGone = events.contains { $0.kinds.contains(oneOf: .gone) && isPlace($0.path) }
        if isGone || isBeside && events.contains(where: { $0.path == folder }) {
            watch.remove(folder)
            folder = try Self.begin(store, in: watch, isPaced: notice != nil)
        }
        if isTold || isGone { news.isWorthALook = true }
        return news
    }

    /// Begins to watch the run folder, which may be moved away with all that is in it; or, where it
    /// does not exist yet, the folder where it will.
    private static func begin(
        _ store: String, in watch: DirectoryWatch, isPaced: Bool
    ) throws(SystemError) -> String {
        let parent = Files.parent(of: store)
        let folder = RunFolder.path(of: store)
        do {
            let ends: WatchEvent.Kinds = [.closedAfterWrite, .deleted, .movedOut, .ownEnd]
            try watch.add(folder, for: ends.union(isPaced ? .created : .modified))
            try watch.add(parent, for: .ownEnd)
            return folder
        } catch {
            guard error.isMissing else { throw error }
            try watch.add(parent)
            return parent
        }
    }

    private func isPlace(_ path: String?) -> Bool {
        path == folder || path == Files.parent(of: store)
    }

    /// A commit, or a lock file that was closed or removed; anything in a folder that is to hold
    /// the run folder.
    private func isNews(_ event: WatchEvent) -> Bool {
        if folder != RunFolder.path(of: store) { return true }
        if event.name == RunFolder.noticeName {
            return event.kinds.contains(oneOf: [.modified, .created])
        }
        return event.kinds.contains(oneOf: [.closedAfterWrite, .deleted, .movedOut])
    }
}
