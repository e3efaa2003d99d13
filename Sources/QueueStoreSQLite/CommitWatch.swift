import Platform
import QueueModel
import QueueStore

/// Tells of every commit of any process, of every process that ends, and of the store's own end,
/// from a thread of its own that sleeps in between.
final class CommitWatch: StoreObservation {
    private let stop: EventSignal
    private let thread: Thread

    /// Watches `runFolder`; where it does not exist yet, the folder of the store until it does.
    init(store: String, _ notify: @escaping @Sendable () -> Void) throws(QueueError) {
        do {
            let stop = try EventSignal()
            let watches = try Watches(store)
            self.stop = stop
            thread = try Thread(name: "sluice-watch", stackBytes: 1 << 18) {
                Self.follow(watches, until: stop, notify)
            }
        } catch {
            throw QueueError(
                .denied, error.sentence,
                fix: "sysctl fs.inotify says how many watches there may be")
        }
    }

    deinit { stop.signal() }

    private static func follow(
        _ first: Watches, until stop: EventSignal, _ notify: @Sendable () -> Void
    ) {
        var watches = first
        do {
            while true {
                let interests = watches.interests + [PollInterest(stop.descriptor.number)]
                _ = try Poll.wait(fds: interests, timeoutMilliseconds: nil)
                if stop.drain() { return }
                if try watches.haveNews() { notify() }
            }
        } catch {
            // Nothing more will be told: the last word is to look once again.
            notify()
        }
    }
}

/// What is watched for a store: where its processes tell of commits, and its file.
private struct Watches {
    private let store: String
    private var folder: DirectoryWatch
    /// The file, which may be removed, or have another one moved over it; nil where it is gone.
    private var file: DirectoryWatch?

    init(_ store: String) throws(SystemError) {
        self.store = store
        folder = try Self.watch(store)
        file = try DirectoryWatch(store)
    }

    var interests: [PollInterest] {
        [folder, file].compactMap { $0 }.map { PollInterest($0.descriptor.number) }
    }

    /// Takes what came; whether any of it is worth a look.
    mutating func haveNews() throws(SystemError) -> Bool {
        let isFileNews = try file?.drain().contains(where: Self.isEnd) ?? false
        if isFileNews, !Files.exists(store) { file = nil }
        let events = try folder.drain()
        let isBeside = folder.path != RunFolder.path(of: store)
        if isBeside || events.contains(where: { $0.kinds.contains(.gone) }) {
            folder = try Self.watch(store)
        }
        return isFileNews || isBeside || events.contains(where: Self.isNews)
    }

    private static func watch(_ store: String) throws(SystemError) -> DirectoryWatch {
        do {
            return try DirectoryWatch(RunFolder.path(of: store))
        } catch {
            guard error.isMissing else { throw error }
            return try DirectoryWatch(Files.parent(of: store))
        }
    }

    /// The file lost its name: its number of links is one of its attributes.
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
