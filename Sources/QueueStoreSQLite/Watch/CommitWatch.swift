import Platform
import QueueModel
import QueueStore

/// Tells of every commit of ours, of what an application leaves in the inbox, of every process that
/// ends, and of the store's own end, from a thread of its own that sleeps in between.
final class CommitWatch: StoreObservation {
    private let stop: EventSignal
    private let thread: Thread

    /// Watches the store's run folder; where it does not exist yet, the folder of the store until
    /// it does. With a probe the write-ahead log is watched too (T4).
    init(
        store: String, probe: InboxProbe?, _ notify: @escaping @Sendable () -> Void
    ) throws(QueueError) {
        do {
            let stop = try EventSignal()
            let watches = try StoreWatches(store, withLog: probe != nil)
            self.stop = stop
            thread = try Thread(name: "sluice-watch", stackBytes: 1 << 18) {
                Self.follow(watches, probe, until: stop, notify)
            }
        } catch {
            throw QueueError(
                .denied, error.sentence,
                fix: "sysctl fs.inotify says how many watches there may be")
        }
    }

    deinit { stop.signal() }

    private static func follow(
        _ first: StoreWatches, _ probe: InboxProbe?, until stop: EventSignal,
        _ notify: @Sendable () -> Void
    ) {
        var watches = first
        var vigil = CommitVigil()
        do {
            while true {
                let interests = try watches.interests(withLog: vigil.isListening)
                _ = try Poll.wait(
                    fds: interests + [PollInterest(stop.descriptor.number)],
                    timeoutMilliseconds: vigil.sleep(at: instant).map { Int($0) })
                if stop.drain() { return }
                let news = try watches.news()
                // Whoever waits for a commit waits for no look at the inbox.
                if news.isWorthALook { notify() }
                guard let probe else { continue }
                if news.logGrew { vigil.logGrew(at: instant) }
                if vigil.isDue(at: instant), vigil.looked(probe.look(), at: instant) { notify() }
            }
        } catch {
            // Nothing more will be told: the last word is to look once again.
            notify()
        }
    }

    private static var instant: Int64 {
        Int64(SystemClock.monotonicNanoseconds() / 1_000_000)
    }
}
