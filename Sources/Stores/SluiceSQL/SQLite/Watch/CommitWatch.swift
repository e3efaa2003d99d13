import SluiceModel
import SluiceStore
import SluiceSystem

/// Notifies of every Sluice commit, of an application's inbox rows, of every ended process, and of
/// the store's removal. Its own thread sleeps in between.
final class CommitWatch: StoreObservation {
    private let stop: EventSignal
    private let thread: Thread
    private let watch: DirectoryWatch
    private let hearing: Hearing

    /// Becomes true before the notification of that change.
    var isNotified: Bool { watch.isNotified }

    /// Watches the store's run folder, or the store's folder until the run folder exists. With a
    /// probe it also watches the write-ahead log (T4). With a throttle it notifies only as often as
    /// that allows, and nothing wakes it in between.
    init(
        store: String, probe: InboxProbe?, throttle: ReadThrottle?,
        sharing instance: WatchInstance = .own, _ notify: @escaping @Sendable () -> Void
    ) throws(QueueError) {
        do {
            let stop = try EventSignal()
            let watches = try StoreWatches(
                store, withLog: probe != nil, sharing: instance)
            let hearing = try Hearing()
            (self.stop, watch, self.hearing) = (stop, watches.watch, hearing)
            thread = try Thread(name: "sluice-watch", stackBytes: 1 << 18) {
                var round = Round(
                    watches: watches, probe: probe, throttle: throttle, hearing: hearing, stop: stop
                )
                do {
                    while try round.wait(notify) {}
                } catch {
                    // No more notices will come, so ask for one last poll.
                    notify()
                }
            }
        } catch {
            throw .cannotWatch(error)
        }
    }

    deinit { stop.signal() }

    func mute() -> Bool {
        hearing.mute()
        return true
    }

    func listen() { hearing.listen() }

    private struct Round {
        var watches: StoreWatches
        let probe: InboxProbe?
        let throttle: ReadThrottle?
        let hearing: Hearing
        let stop: EventSignal
        var poll = CommitPoll()

        private var instant: Int64 { SystemClock.monotonicMilliseconds() }

        /// Waits for one event; returns false to stop.
        mutating func wait(_ notify: @Sendable () -> Void) throws -> Bool {
            try watches.listen(toLog: poll.isListening)
            _ = try Poll.wait(
                fds: watches.interests + [PollInterest(stop.descriptor.number)],
                timeoutMilliseconds: poll.sleep(at: instant).map { Int($0) })
            if stop.drain() { return false }
            var news = try watches.news()
            // Notify of commits without waiting for the inbox check.
            if news.isWorthALook {
                if hearing.isMuted() { return try sleep(notify) }
                guard try rest() else { return false }
                if throttle != nil { news.logGrew = try watches.news().logGrew || news.logGrew }
                // Later changes cause another notice, so that no poll misses them.
                try watches.listen(toLog: false)
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

        /// Waits until the observer listens, and notifies; returns false if stopped in between. No
        /// commit wakes it, because the watch on the notice has ended with its event.
        private mutating func sleep(_ notify: @Sendable () -> Void) throws -> Bool {
            _ = try Poll.wait(
                fds: [hearing.wake, stop].map { PollInterest($0.descriptor.number) },
                timeoutMilliseconds: nil)
            if stop.drain() { return false }
            hearing.wake.drain()
            try watches.listen(toLog: true)
            _ = try watches.news()
            poll.logGrew(at: instant)
            notify()
            return true
        }

        /// Waits as long as the throttle requires; returns false if stopped in between.
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

/// Whether an observer wants notices.
private final class Hearing: Sendable {
    private struct State: Sendable {
        var isMuted = false
        var isAsleep = false
    }
    private let state = Protected(State())
    /// Wakes a watch that sleeps because its observer is muted.
    let wake: EventSignal

    init() throws(SystemError) { wake = try EventSignal() }

    func mute() { state.withLock { $0.isMuted = true } }

    func listen() {
        let wasAsleep = state.withLock { state in
            defer { state = State() }
            return state.isAsleep
        }
        if wasAsleep { wake.signal() }
    }

    /// Whether the observer is muted. The watch then sleeps until `wake`.
    func isMuted() -> Bool {
        state.withLock { state in
            state.isAsleep = state.isMuted
            return state.isMuted
        }
    }
}
