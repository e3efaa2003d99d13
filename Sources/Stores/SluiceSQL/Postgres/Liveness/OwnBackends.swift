import SluiceSystem

/// The server's processes that serve the links of one store.
final class OwnBackends: Sendable {
    private static let limit = 64
    private let numbers = Protected<[Int32]>([])

    /// Records a current backend; forgets the oldest ones.
    func record(_ number: Int32) {
        numbers.withLock { numbers in
            numbers.append(number)
            if numbers.count > Self.limit { numbers.removeFirst() }
        }
    }

    func contains(_ number: Int32) -> Bool { numbers.withLock { $0.contains(number) } }
}
