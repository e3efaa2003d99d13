/// Runs what blocks on a thread of its own: the cooperative pool must never do that.
@discardableResult
package func offPool<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value
) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        do {
            _ = try Thread(name: "sluice-blocking") {
                continuation.resume(with: Result { try body() })
            }
        } catch {
            continuation.resume(throwing: error)
        }
    }
}
