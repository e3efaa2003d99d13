import SluiceModel
import SluicePlatform
import SluiceStore

/// Tells of every commit of ours, of what an application leaves in the inbox, of every process that
/// ends, and of the store's own end, from a thread of its own that sleeps in between.
final class CommitWatch: StoreObservation {
    private let stop: EventSignal
    private let thread: Thread
    private let watch: DirectoryWatch

    /// True from before it tells of it on.
    var isTold: Bool { watch.isTold }

    /// Watches the store's run folder; where it does not exist yet, the folder of the store until
    /// it does. With a probe the write-ahead log is watched too (T4). With a throttle it tells as
    /// often as that allows, and nothing wakes it in between.
    init(
        store: String, probe: InboxProbe?, throttle: ReadThrottle?,
        sharing instance: WatchInstance = .own, _ notify: @escaping @Sendable () -> Void
    ) throws(QueueError) {
        do {
            let stop = try EventSignal()
            let watches = try StoreWatches(
                store, withLog: probe != nil, isPaced: throttle != nil, sharing: instance)
            (self.stop, watch) = (stop, watches.watch)
            thread = try Thread(name: "sluice-watch", stackBytes: 1 << 18) {
                var round = Round(watches: watches, probe: probe, throttle: throttle, stop: stop)
                do {
                    while try round.wait(notify) {}
                } catch {
                    // Nothing more will be told: the last word is to look once again.
                    notify()
                }
            }
        } catch {
            throw QueueError(
                .denied, error.sentence,
                fix: "sysctl fs.inotify says how many watches there may be")
        }
    }

    deinit { stop.signal() }

    /// What the thread has in hand.
    private struct Round {
        var watches: StoreWatches
        let probe: InboxProbe?
        let throttle: ReadThrottle?
        let stop: EventSignal
        var poll = CommitPoll()

        private var instant: Int64 { SystemClock.monotonicMilliseconds() }

        /// Waits for something once; false when it was told to stop.
        mutating func wait(_ notify: @Sendable () -> Void) throws -> Bool {
            try watches.listen(toLog: poll.isListening)
            _ = try Poll.wait(
                fds: watches.interests + [PollInterest(stop.descriptor.number)],
                timeoutMilliseconds: poll.sleep(at: instant).map { Int($0) })
            if stop.drain() { return false }
            var news = try watches.news()
            // Whoever waits for a commit waits for no look at the inbox.
            if news.isWorthALook {
                guard try rest() else { return false }
                if throttle != nil {
                    news.logGrew = try watches.news().logGrew || news.logGrew
                    // What comes after this is told again, so that no look misses it.
                    try watches.listen(toLog: false)
                }
                notify()
            }
            guard let probe else { return true }
            if news.logGrew { poll.logGrew(at: instant) }
            if poll.isDue(at: instant), poll.looked(probe.look(), at: instant) {
                guard try rest() else { return false }
                notify()
            }
            return true
        }

        /// Waits as the throttle wants it; false when it was told to stop meanwhile.
        private func rest() throws -> Bool {
            guard let throttle else { return true }
            let end = instant + Int64(throttle.rest())
            while instant < end {
                _ = try Poll.wait(
                    fds: [PollInterest(stop.descriptor.number)],
                    timeoutMilliseconds: Int(end - instant))
                if stop.drain() { return false }
            }
            return true
        }
    }
}
