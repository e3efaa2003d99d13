/// Runs a blocking body on its own thread: the cooperative pool must never block.
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
