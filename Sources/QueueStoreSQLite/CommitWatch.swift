import Platform
import QueueModel
import QueueStore

/// Tells of every commit of any process, and of every process that ends, from a thread of its own
/// that sleeps in between.
final class CommitWatch: StoreObservation {
    private let stop: EventSignal
    private let thread: Thread

    /// Watches `runFolder`; where it does not exist yet, the folder of the store until it does.
    init(store: String, _ notify: @escaping @Sendable () -> Void) throws(QueueError) {
        do {
            let stop = try EventSignal()
            let watch = try Self.watch(store)
            self.stop = stop
            thread = try Thread(name: "sluice-watch", stackBytes: 1 << 18) {
                Self.follow(store, watch, until: stop, notify)
            }
        } catch {
            throw QueueError(
                .denied, error.sentence,
                fix: "sysctl fs.inotify says how many watches there may be")
        }
    }

    deinit { stop.signal() }

    private static func watch(_ store: String) throws(SystemError) -> DirectoryWatch {
        do {
            return try DirectoryWatch(RunFolder.path(of: store))
        } catch {
            guard error.isMissing else { throw error }
            return try DirectoryWatch(Files.parent(of: store))
        }
    }

    private static func follow(
        _ store: String, _ first: DirectoryWatch, until stop: EventSignal,
        _ notify: @Sendable () -> Void
    ) {
        var watch = first
        do {
            while true {
                _ = try Poll.wait(
                    fds: [
                        PollInterest(watch.descriptor.number),
                        PollInterest(stop.descriptor.number),
                    ], timeoutMilliseconds: nil)
                if stop.drain() { return }
                let events = try watch.drain()
                let isBeside = watch.path != RunFolder.path(of: store)
                if isBeside || events.contains(where: { $0.kinds.contains(.gone) }) {
                    watch = try Self.watch(store)
                }
                if isBeside || events.contains(where: isNews) { notify() }
            }
        } catch {
            // Nothing more will be told: the last word is to look once again.
            notify()
        }
    }

    /// A commit; a lock file that was closed or removed; more than could be kept.
    private static func isNews(_ event: WatchEvent) -> Bool {
        if event.name == RunFolder.noticeName { return event.kinds.contains(.modified) }
        return !event.kinds.isDisjoint(
            with: [.closedAfterWrite, .deleted, .movedOut, .overflow, .gone])
    }
}
