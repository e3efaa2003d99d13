import SluiceModel
import SluiceSystem

/// Decides when to contact a lost server: immediately, and then after growing delays.
///
/// Until then callers get the last error immediately, so that a screen does not wait for an
/// unreachable server.
final class ReconnectBackoff: Sendable {
    static let firstMilliseconds: Int64 = 100
    static let lastMilliseconds: Int64 = 10_000

    private struct State {
        var failures = 0
        var nextAt: Int64 = 0
        var said: QueueError?
    }

    private let state = Protected(State())
    private let instant: @Sendable () -> Int64

    /// `instant` is the machine's monotonic clock in milliseconds.
    init(
        instant: @escaping @Sendable () -> Int64 = { SystemClock.monotonicMilliseconds() }
    ) {
        self.instant = instant
    }

    /// Milliseconds until the next attempt; 0 if one is allowed now.
    var rest: Int64 { state.withLock { $0.said == nil ? 0 : max(0, $0.nextAt - instant()) } }

    /// Runs a query to the server, unless it is too early.
    func attempt(_ body: () throws(QueueError) -> Void) throws(QueueError) {
        let now = instant()
        let told = state.withLock { $0.nextAt > now ? $0.said : nil }
        if let told { throw told }
        do {
            try body()
            state.withLock { $0 = State() }
        } catch {
            if error.code == .serverGone { record(error) }
            throw error
        }
    }

    private func record(_ error: QueueError) {
        let now = instant()
        state.withLock { state in
            let delay = Self.firstMilliseconds << Int64(min(state.failures, 10))
            state.failures += 1
            state.nextAt = now + min(delay, Self.lastMilliseconds)
            state.said = error
        }
    }
}
