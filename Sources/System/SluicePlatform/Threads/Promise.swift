import Glibc

/// What one thread is told by another, once; whoever waits for it blocks.
///
/// A semaphore, because whoever is told then needs no lock that the teller still holds.
package final class Promise<Value: Sendable>: @unchecked Sendable {
    private let arrival: UnsafeMutablePointer<sem_t>
    /// Written before the semaphore is raised, read after it was taken.
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

    /// Tells it; only the first time counts.
    package func resolve(_ result: Result<Value, any Error>) {
        guard self.result == nil else { return }
        self.result = result
        sem_post(arrival)
    }

    /// Waits until it was told; asked once.
    package func wait() throws -> Value {
        while true {
            // A signal's handler may come between.
            if sem_wait(arrival) == 0, let result { return try result.get() }
        }
    }
}
