import Glibc

/// A condition variable: threads wait on it, with a lock held, for others to change something.
package final class Condition: @unchecked Sendable {
    private let variable: UnsafeMutablePointer<pthread_cond_t>
    private let lock: Lock

    /// Makes a condition that belongs to `lock`.
    package init(_ lock: Lock) {
        self.lock = lock
        variable = .allocate(capacity: 1)
        variable.initialize(to: pthread_cond_t())
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(variable, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(variable)
        variable.deinitialize(count: 1)
        variable.deallocate()
    }

    /// Frees the lock, waits for a signal and takes the lock again; may also return without one.
    package func wait() {
        pthread_cond_wait(variable, lock.mutex)
    }

    /// Like `wait()`, but at most so long; false when the time has passed.
    package func wait(timeoutMilliseconds: Int) -> Bool {
        let wait = UInt64(clamping: timeoutMilliseconds).multipliedReportingOverflow(by: 1_000_000)
        if wait.overflow {
            self.wait()
            return true
        }
        let deadline = SystemClock.monotonicNanoseconds() &+ wait.partialValue
        var moment = timespec()
        moment.tv_sec = Int(deadline / 1_000_000_000)
        moment.tv_nsec = Int(deadline % 1_000_000_000)
        return pthread_cond_timedwait(variable, lock.mutex, &moment) != ETIMEDOUT
    }

    /// Wakes one thread that waits.
    package func signal() {
        pthread_cond_signal(variable)
    }

    /// Wakes every thread that waits.
    package func broadcast() {
        pthread_cond_broadcast(variable)
    }
}
