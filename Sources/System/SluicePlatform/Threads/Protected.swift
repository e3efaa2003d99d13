/// A value that is only reached with its lock held.
package final class Protected<Value>: @unchecked Sendable {
    private let lock = Lock()
    private var value: Value

    /// Takes over a value that nobody else can reach.
    package init(_ value: sending Value) {
        self.value = value
    }

    /// Runs `body` on the value with the lock held; what it returns must not reach into the value.
    package func withLock<Result, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}
