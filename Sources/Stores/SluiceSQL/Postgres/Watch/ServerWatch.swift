import SluiceModel
import SluiceStore
import SluiceSystem

/// Notifies of every commit at a server, of lost and restored connections, and of every ended
/// process on this machine. Its own thread sleeps in between.
final class ServerWatch: StoreObservation {
    /// The poll interval with a pooler, where no notices arrive.
    static let pooledMilliseconds: Int64 = 1000
    /// The time of silence after which the connection is checked.
    static let quietMilliseconds: Int64 = 10_000

    private let stop: EventSignal
    private let thread: Thread
    private let folder: DirectoryWatch?

    var isNotified: Bool { folder?.isNotified ?? true }

    /// Listens until released. It retries an unreachable server after growing delays.
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
            throw .cannotWatch(error)
        }
    }

    deinit { stop.signal() }

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
        /// The time of the next call for a throttled reader.
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
                // Report a lost server before waiting for a new connection.
                tell()
                listen()
                // Notices before the next call belong to it and need no separate wake-up.
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
                    // No more notices will come, so ask for one last poll.
                    return notify()
                }
                take()
            }
        }

        /// The time until the next timer, or `nil` without one.
        private var sleep: Int? {
            var sleeps: [Int64] = []
            if let due = throttle.dueAt { sleeps.append(due - instant) }
            if let lookAt { sleeps.append(lookAt - instant) }
            if link == nil { sleeps.append(backoff.rest) }
            if isPooled { sleeps.append(ServerWatch.pooledMilliseconds) }
            if link != nil { sleeps.append(lastHeard + ServerWatch.quietMilliseconds - instant) }
            return sleeps.min().map { Int(max(0, $0)) }
        }

        /// Connects if necessary and notifies, because notices in between were lost.
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

        /// A listening connection, and whether a pooler withholds the notices.
        private func connected() throws(QueueError) -> (PostgresConnection, Bool) {
            do {
                let made = try PostgresConnection(settings)
                try made.send("LISTEN \(schema)")
                let backend = try made.rows("SELECT pg_catalog.pg_backend_pid()").integer(0, 0)
                return (made, backend != Int64(made.backend))
            } catch {
                // Any error may be temporary.
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
            let notices = try link.drainNotices()
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
