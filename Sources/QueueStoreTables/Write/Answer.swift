import Platform

/// What a caller that blocks waits for.
final class Answer<Value: Sendable>: @unchecked Sendable {
    private let lock = Lock()
    private let arrival: Condition
    private var result: Result<Value, any Error>?

    init() { arrival = Condition(lock) }

    func give(_ result: Result<Value, any Error>) {
        lock.withLock {
            self.result = result
            arrival.signal()
        }
    }

    func wait() throws -> Value {
        let given = lock.withLock { () -> Result<Value, any Error> in
            while true {
                if let result { return result }
                arrival.wait()
            }
        }
        return try given.get()
    }
}
