import SluiceSystem

/// The watches for a store: the notice of its processes, its file, and the write-ahead log.
struct StoreWatches {
    /// The events since the last call.
    struct News {
        /// Whether the store may have changed for readers.
        var isWorthALook = false
        /// Whether a commit is about to happen.
        var logGrew = false
    }

    private let store: String
    /// The watch that reports all events.
    let watch: DirectoryWatch
    /// The folder of the notice, or the store's folder until that exists.
    private var folder: String
    /// Whether the file is there: it may be removed, or have another one moved over it.
    private var hasFile = true
    /// The log, or `nil` if not watched.
    private var log: WriteWatch?
    /// The notice, which is reported once until the next `listen`.
    private var notice: WriteWatch

    init(
        _ store: String, withLog: Bool, sharing instance: WatchInstance
    ) throws(SystemError) {
        self.store = store
        watch = try DirectoryWatch(store, for: [.attributes, .ownEnd], sharing: instance)
        notice = WriteWatch("\(RunFolder.path(of: store))/\(RunFolder.noticeName)")
        folder = try Self.begin(store, in: watch)
        if withLog { log = WriteWatch("\(store)-wal") }
        try listen(toLog: true)
    }

    var interests: [PollInterest] { watch.interests }

    /// Starts reporting later events; the log may be omitted for a moment.
    mutating func listen(toLog: Bool) throws(SystemError) {
        try notice.begin(in: watch)
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
        if notice.wasWritten(by: events) { news.isWorthALook = true }
        let isBeside = folder != RunFolder.path(of: store)
        let isNotified = events.contains { $0.path == folder && isNews($0) }
        let isGone = events.contains { $0.kinds.contains(oneOf: .gone) && isPlace($0.path) }
        if isGone || isBeside && events.contains(where: { $0.path == folder }) {
            watch.remove(folder)
            folder = try Self.begin(store, in: watch)
        }
        if isNotified || isGone { news.isWorthALook = true }
        return news
    }

    /// Begins to watch the run folder, which may be moved away with all that is in it; or, where it
    /// does not exist yet, the folder where it will.
    private static func begin(
        _ store: String, in watch: DirectoryWatch
    ) throws(SystemError) -> String {
        let parent = Files.parent(of: store)
        let folder = RunFolder.path(of: store)
        do {
            try watch.add(
                folder, for: [.closedAfterWrite, .deleted, .movedOut, .ownEnd, .created])
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
