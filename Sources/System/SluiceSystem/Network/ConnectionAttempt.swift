import SluiceC

/// TCP connections to every address of one name, started together. The first established one is
/// enough; all close when this is released.
package final class ConnectionAttempt: Sendable {
    private static let addressLimit = 8

    private let open: Protected<[FileDescriptor]>

    /// Starts them; blocks during the name lookup, which has the system's own limits.
    package init(host: String, port: UInt16) {
        var sockets = [Int32](repeating: -1, count: Self.addressLimit)
        let count = csys_connect_begin(host, String(port), &sockets, Int32(Self.addressLimit))
        open = Protected(sockets.prefix(Int(count)).map { FileDescriptor(owning: $0) })
    }

    /// The descriptors to poll until `result` may return an answer.
    package var interests: [PollInterest] {
        open.withLock { $0.map { PollInterest($0.number, readable: false, writable: true) } }
    }

    /// The first established connection, non-blocking and owned by the caller. `nil` while
    /// undecided or if all failed. Never waits.
    func take() -> FileDescriptor? {
        guard result() == true else { return nil }
        return open.withLock { open -> FileDescriptor? in
            let waited = open.map { PollInterest($0.number, readable: false, writable: true) }
            let ready = (try? Poll.wait(fds: waited, timeoutMilliseconds: 0)) ?? []
            let number = ready.first { !$0.failed && csys_is_connected($0.descriptor) == 1 }
            guard let place = open.firstIndex(where: { $0.number == number?.descriptor }) else {
                return nil
            }
            return open.remove(at: place)
        }
    }

    /// Whether one of them is established; `nil` while undecided. Never waits.
    package func result() -> Bool? {
        let waited = interests
        let ready = (try? Poll.wait(fds: waited, timeoutMilliseconds: 0)) ?? []
        let isConnected = ready.contains { csys_is_connected($0.descriptor) == 1 && !$0.failed }
        if isConnected { return true }
        let ended = Set(ready.map(\.descriptor))
        return open.withLock { open -> Bool? in
            open.removeAll { ended.contains($0.number) }
            return open.isEmpty ? false : nil
        }
    }
}
