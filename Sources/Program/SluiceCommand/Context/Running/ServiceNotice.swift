import SluiceRunner
import SluiceSystem

/// Notifies the service manager of a worker (sd_notify) on its own thread: ready, alive, status,
/// stopping. The watchdog ping requires an answer of the runner's thread, so that the manager
/// restarts a worker that hangs.
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

    /// Connects to `$NOTIFY_SOCKET`; `nil` if it is not set. Sends watchdog pings if
    /// `$WATCHDOG_USEC` is a time and `$WATCHDOG_PID` is this process or not set.
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

    /// Reports an event: an attempt within a second, other events immediately.
    func record(_ event: ServiceStatus.Event) {
        let isFirst = news.withLock { news -> Bool in
            let lines = news.status.record(event)
            defer { news.isStale = true }
            guard let lines else { return !news.isStale }
            news.lines += lines
            news.isUrgent = true
            return true
        }
        if isFirst { wake.signal() }
    }

    /// Sends watchdog pings for this runner from now on.
    func watch(_ runner: Runner) {
        news.withLock { $0.runner = runner }
        wake.signal()
    }

    /// Sends the remaining messages and ends the thread.
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
            // Ignore errors: the manager may have ended.
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

    /// Takes the content of the next message, and the state for the next wait.
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
