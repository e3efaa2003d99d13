import SluicePlatform
import SluiceRunner

/// Tells the service manager that started a worker how it fares, on a thread of its own: that it is
/// ready, that it lives, what it does, that it stops (sd_notify). The sign of life is given only
/// when the runner's thread answers, so that a worker that hangs is started again.
final class ServiceNotice: Sendable {
    private static let statusPause: Int64 = 1000

    private let socket: FileDescriptor
    private let beatPause: Int64?
    private let wake: EventSignal
    private let news = Protected(News())
    private let thread = Protected<Thread?>(nil)

    private struct News: Sendable {
        var status = ServiceStatus()
        var lines: [String] = []
        var isStale = true
        var isUrgent = false
        var isOver = false
        var runner: Runner?
    }

    /// Speaks at `$NOTIFY_SOCKET`; nil where that is not set. A sign of life is wanted where
    /// `$WATCHDOG_USEC` is a time and `$WATCHDOG_PID`, if it is set, this process.
    init?(_ environment: (String) -> String?) throws {
        guard let path = environment("NOTIFY_SOCKET"), !path.isEmpty else { return nil }
        socket = try MessageSocket.connect(path: path)
        let own = "\(ProcessIdentity.processID)"
        let limit = environment("WATCHDOG_USEC").flatMap { Int64($0) } ?? 0
        let isAsked = limit > 0 && environment("WATCHDOG_PID") ?? own == own
        beatPause = isAsked ? max(limit / 2000, 1) : nil
        wake = try EventSignal()
        let started = try Thread(name: "sluice-service") { self.run() }
        thread.withLock { $0 = started }
    }

    /// Tells of an event: of one execution within a second, of all else at once.
    func note(_ event: ServiceStatus.Event) {
        let isFirst = news.withLock { news -> Bool in
            let lines = news.status.note(event)
            defer { news.isStale = true }
            guard let lines else { return !news.isStale }
            news.lines += lines
            news.isUrgent = true
            return true
        }
        if isFirst { wake.signal() }
    }

    /// From now on this runner is asked for its signs of life.
    func watch(_ runner: Runner) {
        news.withLock { $0.runner = runner }
        wake.signal()
    }

    /// Says what is left to say, and ends the thread.
    func end() {
        news.withLock { $0.isOver = true }
        wake.signal()
        let running = thread.withLock { $0 }
        running?.join()
    }

    private func run() {
        var (statusAt, beatAt): (Int64, Int64) = (0, 0)
        while true {
            let instant = SystemClock.monotonicMilliseconds()
            let told = take(isStatusDue: statusAt <= instant)
            if told.hasStatus { statusAt = instant + Self.statusPause }
            // A manager that is not there any more is told nothing.
            if !told.lines.isEmpty {
                try? MessageSocket.send(told.lines.joined(separator: "\n"), to: socket)
            }
            if told.isOver { return }
            var moments = told.isStale ? [statusAt] : []
            if let beatPause, let runner = told.runner {
                if beatAt <= instant {
                    beatAt = instant + beatPause
                    runner.whenAwake { self.beat() }
                }
                moments.append(beatAt)
            }
            let sleep = moments.min().map { Int($0 - instant) }
            _ = try? Poll.wait(
                fds: [PollInterest(wake.descriptor.number)], timeoutMilliseconds: sleep)
            wake.drain()
        }
    }

    /// What is said in one message, and what is left then.
    private func take(isStatusDue: Bool) -> (
        lines: [String], hasStatus: Bool, isStale: Bool, runner: Runner?, isOver: Bool
    ) {
        news.withLock { news in
            let hasStatus = news.isStale && (isStatusDue || news.isUrgent || news.isOver)
            let lines = news.lines + (hasStatus ? [news.status.line] : [])
            if hasStatus { news.isStale = false }
            (news.lines, news.isUrgent) = ([], false)
            return (lines, hasStatus, news.isStale, news.runner, news.isOver)
        }
    }

    /// The runner's thread gave its sign of life.
    private func beat() {
        news.withLock { $0.lines.append("WATCHDOG=1") }
        wake.signal()
    }
}
