import Platform

/// What a caller that blocks waits for.
package final class Answer<Value: Sendable>: @unchecked Sendable {
    private let lock = Lock()
    private let arrival: Condition
    private var result: Result<Value, any Error>?

    package init() { arrival = Condition(lock) }

    package func give(_ result: Result<Value, any Error>) {
        lock.withLock {
            self.result = result
            arrival.signal()
        }
    }

    package func wait() throws -> Value {
        let given = lock.withLock { () -> Result<Value, any Error> in
            while true {
                if let result { return result }
                arrival.wait()
            }
        }
        return try given.get()
    }
}
