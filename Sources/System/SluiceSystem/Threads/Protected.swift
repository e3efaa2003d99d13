/// A value that is only reached with its lock held.
package final class Protected<Value>: @unchecked Sendable {
    private let lock = Lock()
    private var value: Value

    /// Takes ownership of a value without other references.
    package init(_ value: sending Value) {
        self.value = value
    }

    /// Runs `body` on the value with the lock held; the result must not refer to the value.
    package func withLock<Result, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}
