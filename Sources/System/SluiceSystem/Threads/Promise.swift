import Glibc

/// A value that one thread passes to another, once; the receiver blocks until then.
///
/// It uses a semaphore, so that the woken receiver needs no lock that the sender still holds.
package final class Promise<Value: Sendable>: @unchecked Sendable {
    private let arrival: UnsafeMutablePointer<sem_t>
    /// Written before the post of the semaphore, read after the wait.
    private var result: Result<Value, any Error>?

    package init() {
        arrival = .allocate(capacity: 1)
        arrival.initialize(to: sem_t())
        sem_init(arrival, 0, 0)
    }

    deinit {
        sem_destroy(arrival)
        arrival.deinitialize(count: 1)
        arrival.deallocate()
    }

    /// Sets the value; only the first call counts.
    package func resolve(_ result: Result<Value, any Error>) {
        guard self.result == nil else { return }
        self.result = result
        sem_post(arrival)
    }

    /// Waits for the value; call it once.
    package func wait() throws -> Value {
        while true {
            // A signal's handler may come between.
            if sem_wait(arrival) == 0, let result { return try result.get() }
        }
    }
}
