import SluiceSystem

/// The thread that calls when a time has come: one for all simulated executions of the process.
///
/// It starts with the first timer and sleeps, without waking, until the earliest one is due.
final class TimerThread: @unchecked Sendable {
    static let shared = TimerThread()

    /// Names a timer, to cancel it.
    struct Ticket: Hashable, Sendable {
        fileprivate let number: UInt64
    }

    private struct Timer {
        let ticket: Ticket
        let deadlineNanoseconds: UInt64
        let action: @Sendable () -> Void
    }

    private let lock: Lock
    private let condition: Condition
    // The lock protects the following. The timer with the earliest deadline is last.
    private var timers: [Timer] = []
    private var lastNumber: UInt64 = 0
    private var thread: Thread?

    init() {
        lock = Lock()
        condition = Condition(lock)
    }

    /// Calls `action` on this thread at a moment of the monotonic clock; it must not block.
    @discardableResult
    func schedule(
        atNanoseconds deadline: UInt64, _ action: @escaping @Sendable () -> Void
    ) throws(SystemError) -> Ticket {
        try lock.withLock { () throws(SystemError) -> Ticket in
            if thread == nil {
                thread = try Thread(name: "simulate") { [self] in run() }
            }
            lastNumber += 1
            let ticket = Ticket(number: lastNumber)
            let timer = Timer(ticket: ticket, deadlineNanoseconds: deadline, action: action)
            // Timers with equal deadlines run in order of creation.
            let place = timers.firstIndex { $0.deadlineNanoseconds <= deadline } ?? timers.count
            timers.insert(timer, at: place)
            if place == timers.count - 1 { condition.signal() }
            return ticket
        }
    }

    /// Cancels a timer; does nothing if it has already run.
    func cancel(_ ticket: Ticket) {
        lock.withLock { timers.removeAll { $0.ticket == ticket } }
    }

    private func run() {
        while true { nextDue()() }
    }

    private func nextDue() -> @Sendable () -> Void {
        lock.withLock {
            while true {
                guard let next = timers.last else {
                    condition.wait()
                    continue
                }
                let now = SystemClock.monotonicNanoseconds()
                if next.deadlineNanoseconds <= now {
                    timers.removeLast()
                    return next.action
                }
                let milliseconds = (next.deadlineNanoseconds - now + 999_999) / 1_000_000
                _ = condition.wait(timeoutMilliseconds: Int(clamping: milliseconds))
            }
        }
    }
}
