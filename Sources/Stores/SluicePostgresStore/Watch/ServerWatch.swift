import SluiceModel
import SluicePlatform
import SluicePostgresClient
import SluiceStore

/// Tells of every commit at a server, of its going and coming back, and of every process of this
/// machine that ends, from a thread of its own that sleeps in between.
final class ServerWatch: StoreObservation {
    /// Behind a pooler nobody tells of commits, so it is looked for them.
    static let pooledMilliseconds: Int64 = 1000
    /// A server that has said nothing for so long is asked whether it is still there.
    static let quietMilliseconds: Int64 = 10_000

    private let stop: EventSignal
    private let thread: Thread
    private let folder: DirectoryWatch?

    var isTold: Bool { folder?.isTold ?? true }

    /// Listens until it is released; a server that is not there is asked again and again, a little
    /// later each time.
    init(
        _ settings: PostgresSettings, schema: String, runFolder: String?, own: OwnBackends,
        looking: ReadThrottle? = nil, _ notify: @escaping @Sendable () -> Void
    ) throws(QueueError) {
        do {
            let stop = try EventSignal()
            let folder = try runFolder.flatMap { path throws(SystemError) in
                Files.exists(path) ? try DirectoryWatch(path) : nil
            }
            (self.stop, self.folder) = (stop, folder)
            thread = try Thread(name: "sluice-watch", stackBytes: 1 << 19) {
                var round = Round(
                    settings, schema: schema, folder: folder, own: own, stop: stop,
                    looking: looking, notify: notify)
                round.follow()
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
        let settings: PostgresSettings
        let schema: String
        let folder: DirectoryWatch?
        let own: OwnBackends
        let stop: EventSignal
        let looking: ReadThrottle?
        let notify: @Sendable () -> Void
        let backoff = ReconnectBackoff()
        var link: PostgresConnection?
        var isPooled = false
        var throttle = NoticeThrottle()
        var lastHeard: Int64 = 0
        /// When those who only look are told of what is to be told.
        var lookAt: Int64?

        init(
            _ settings: PostgresSettings, schema: String, folder: DirectoryWatch?,
            own: OwnBackends, stop: EventSignal, looking: ReadThrottle?,
            notify: @escaping @Sendable () -> Void
        ) {
            self.settings = settings
            self.schema = schema
            self.folder = folder
            self.own = own
            self.stop = stop
            self.looking = looking
            self.notify = notify
        }

        private var instant: Int64 { SystemClock.monotonicMilliseconds() }

        mutating func follow() {
            while true {
                // A server that is away is told of before a new connection is waited for.
                tell()
                listen()
                // What comes before the next telling is told with it, and wakes nobody by itself.
                let news = throttle.awaitsTelling || lookAt != nil ? nil : link?.socket
                let waits = [news ?? -1, stop.descriptor.number].map { PollInterest($0) }
                do {
                    _ = try Poll.wait(
                        fds: waits + (folder?.interests ?? []), timeoutMilliseconds: sleep)
                    if stop.drain() { return }
                    if let folder, try folder.drain().contains(where: Self.isEnd) {
                        throttle.handle(isOwn: false)
                    }
                } catch {
                    // Nothing more will be told: the last word is to look once again.
                    return notify()
                }
                take()
            }
        }

        /// How long nothing is to be done by itself; nil for as long as nothing comes.
        private var sleep: Int? {
            var sleeps: [Int64] = []
            if let due = throttle.dueAt { sleeps.append(due - instant) }
            if let lookAt { sleeps.append(lookAt - instant) }
            if link == nil { sleeps.append(backoff.rest) }
            if isPooled { sleeps.append(ServerWatch.pooledMilliseconds) }
            if link != nil { sleeps.append(lastHeard + ServerWatch.quietMilliseconds - instant) }
            return sleeps.min().map { Int(max(0, $0)) }
        }

        /// Connects where there is no connection, and says so: what came meanwhile was not told.
        private mutating func listen() {
            guard link == nil, backoff.rest == 0 else { return }
            do throws(QueueError) {
                var made: (PostgresConnection, Bool)?
                try backoff.attempt { () throws(QueueError) in made = try connected() }
                link = made?.0
                isPooled = made?.1 ?? false
                lastHeard = instant
                throttle.handle(isOwn: false)
            } catch {
                // The next try comes when its time has come.
                link = nil
            }
        }

        /// A connection that listens, and whether a pooler stands between and keeps the news.
        private func connected() throws(QueueError) -> (PostgresConnection, Bool) {
            do {
                let made = try PostgresConnection(settings)
                try made.send("LISTEN \(schema)")
                let backend = try made.rows("SELECT pg_catalog.pg_backend_pid()").integer(0, 0)
                return (made, backend != Int64(made.backend))
            } catch {
                // Whatever it is, it may be over by the next time.
                throw QueueError(.serverGone, error.message)
            }
        }

        private mutating func take() {
            if isPooled { throttle.handle(isOwn: false) }
            guard let link else { return }
            do {
                if try handle(link) { lastHeard = instant }
                guard instant - lastHeard >= ServerWatch.quietMilliseconds else { return }
                _ = try link.rows("SELECT 1")
                _ = try handle(link)
                lastHeard = instant
            } catch {
                self.link = nil
                throttle.handle(isOwn: false)
            }
        }

        private mutating func handle(_ link: PostgresConnection) throws -> Bool {
            let notices = try link.takeNotices()
            for backend in notices { throttle.handle(isOwn: own.contains(backend)) }
            return !notices.isEmpty
        }

        private mutating func tell() {
            if throttle.tells(at: instant), lookAt == nil {
                lookAt = instant + Int64(looking?.rest() ?? 0)
            }
            guard let due = lookAt, due <= instant else { return }
            lookAt = nil
            notify()
        }

        /// A lock file that was let go.
        private static func isEnd(_ event: WatchEvent) -> Bool {
            !event.kinds.isDisjoint(
                with: [.closedAfterWrite, .deleted, .movedOut, .overflow, .gone])
        }
    }
}
