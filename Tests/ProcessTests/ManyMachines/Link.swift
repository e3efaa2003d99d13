import SluiceC
import SluiceSystem
import SluiceTestSupport

/// The only connection between two machines: a proxy to a server, with faults that the test
/// controls.
final class Link: Sendable {
    /// Both directions: to the server, and its answers.
    struct Ways: Equatable, Sendable {
        var up = Way()
        var down = Way()

        var isShut: Bool { up.isShut || down.isShut }
    }

    let port: UInt16
    private let ways = Protected(Ways())
    private let orders: Protected<Orders>
    private let wake: EventSignal
    private let heeded = Heeded()

    private struct Orders {
        var breaksAll = false
        var isOver = false
        /// The number of changes to its ways.
        var changes = 0
    }

    /// How many of the changes the thread goes by.
    private final class Heeded: @unchecked Sendable {
        private let lock = Lock()
        private let grown: Condition
        private var changes = 0

        init() { grown = Condition(lock) }

        func grow(to changes: Int) {
            lock.withLock {
                self.changes = changes
                grown.broadcast()
            }
        }

        func wait(for change: Int) {
            lock.withLock { while changes < change { grown.wait() } }
        }
    }

    /// Listens at an address of this machine, on a free port if none is named.
    init(
        at address: String, port wanted: UInt16 = 0, to server: (host: String, port: UInt16),
        seed: UInt64 = 1
    ) throws {
        SignalInbox.ignorePipeSignal()
        var port = wanted
        let number = csys_listen_at(address, &port)
        guard number >= 0 else { throw ManyFailure("cannot listen at \(address):\(wanted)") }
        let listener = FileDescriptor(owning: number)
        try listener.setNonBlocking(true)
        let (wake, orders) = (try EventSignal(), Protected(Orders()))
        (self.port, self.wake, self.orders) = (port, wake, orders)
        let (ways, heeded) = (ways, heeded)
        _ = try Thread(name: "link") {
            let traffic = Traffic(listener, to: server, SeededChance(seed: seed))
            while !orders.withLock({ $0.isOver }) {
                let (breaksAll, changes) = orders.withLock { orders in
                    defer { orders.breaksAll = false }
                    return (orders.breaksAll, orders.changes)
                }
                if breaksAll { traffic.breakAll() }
                let ways = ways.withLock { $0 }
                heeded.grow(to: changes)
                traffic.pass(ways, wake: wake)
            }
            traffic.breakAll()
        }
    }

    deinit {
        orders.withLock { $0.isOver = true }
        wake.signal()
    }

    /// Changes the link, and returns after the old behaviour has ended.
    func change(_ body: (inout Ways) -> Void) {
        ways.withLock { body(&$0) }
        let change = orders.withLock { orders in
            orders.changes += 1
            return orders.changes
        }
        wake.signal()
        heeded.wait(for: change)
    }

    /// Stops the traffic in both directions.
    func cut() {
        change {
            $0.up.isShut = true
            $0.down.isShut = true
        }
    }

    /// Drops answers but delivers requests.
    func loseAnswers() { change { $0.down.isShut = true } }

    /// All passes again.
    func heal() {
        change {
            $0.up.isShut = false
            $0.down.isShut = false
        }
    }

    /// Breaks every connection, but allows new ones.
    func breakConnections() {
        orders.withLock { $0.breaksAll = true }
        wake.signal()
    }
}
