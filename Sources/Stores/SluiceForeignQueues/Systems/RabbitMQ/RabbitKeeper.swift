import SluiceModel
import SluicePlatform

/// The process that holds a queue. Its consumer has the highest priority and moves new messages to
/// the held queue. It ends with the hold.
///
/// While it does not run, new messages stay in the queue; only a newly started worker takes them.
final class RabbitKeeper {
    private static let lookMilliseconds: Int64 = 5_000
    private static let awayMilliseconds: Int64 = 600_000
    private static let requests = RabbitPlaces.tagPrefix + "requests"
    private static let guardTag = RabbitPlaces.tagPrefix + "guard"

    private let system: RabbitSystem
    private let queue: String
    private var isWatching = false
    private var hasHeld = false

    init(_ system: RabbitSystem, _ queue: String) { (self.system, self.queue) = (system, queue) }

    /// Holds until the hold ends. Waits for a lost broker.
    func run() throws {
        while true {
            do {
                let link = try AMQPConnection(
                    system.management.address, name: "sluice keep \(queue)")
                defer { link.close() }
                guard try begin(link) else { return }
                return try hold(link)
            } catch let error as AMQPError where error.origin == .lost {
                isWatching = false
                try awaitBroker()
            }
        }
    }

    /// False if another process holds it, or no hold exists any more.
    private func begin(_ link: AMQPConnection) throws -> Bool {
        guard try system.isHeld(queue) else { return false }
        try link.beginTransactions()
        try watch(link)
        // Other processes detect the keeper by its exclusive queue.
        guard try isFirst(link) else {
            // After its connection was lost the broker may know that later than this process.
            guard hasHeld else { return false }
            throw AMQPError(.lost, "another connection holds \(queue)")
        }
        hasHeld = true
        try link.consume(
            RabbitPlaces.keeper(queue), as: Self.requests, ahead: 1, acknowledges: false)
        return true
    }

    private func isFirst(_ link: AMQPConnection) throws(AMQPError) -> Bool {
        do {
            try link.declareExclusive(RabbitPlaces.keeper(queue))
            return true
        } catch {
            guard error.code == 405 else { throw error }
            return false
        }
    }

    /// Watches the queue. A deleted queue is watched again after its return.
    private func watch(_ link: AMQPConnection) throws {
        guard try system.session().depth(of: queue) != nil else { return }
        try link.consume(
            queue, as: Self.guardTag, ahead: RabbitShelf.ahead, priority: RabbitSystem.priority)
        isWatching = true
    }

    private func hold(_ link: AMQPConnection) throws {
        let shelf = RabbitShelf(link: link)
        let held = RabbitPlaces.held(queue)
        var lookedAt = SystemClock.monotonicMilliseconds()
        while true {
            var batch: [AMQPDelivery] = []
            var isOver = false
            var wait = 500
            while batch.count < 200, let delivery = try link.next(within: wait) {
                wait = 0
                if delivery.consumer == Self.requests {
                    isOver = true
                } else {
                    batch.append(delivery)
                }
            }
            try shelf.move(batch, from: queue, to: held, .aside)
            if isOver {
                if isWatching { try link.cancel(Self.guardTag) }
                try shelf.moveAll(
                    from: queue, to: held, .aside, without: Self.requests, isEnded: true)
                return
            }
            if link.drainCancelled().contains(Self.guardTag) { isWatching = false }
            let now = SystemClock.monotonicMilliseconds()
            guard now - lookedAt >= Self.lookMilliseconds else { continue }
            lookedAt = now
            guard try system.isHeld(queue) else { return }
            if !isWatching { try watch(link) }
            let broadcast = try system.broadcast()
            try broadcast.turnAside(queue, among: try broadcast.queues())
        }
    }

    private func awaitBroker() throws {
        let deadline = SystemClock.monotonicMilliseconds() + Self.awayMilliseconds
        while SystemClock.monotonicMilliseconds() < deadline {
            _ = try Poll.wait(fds: [], timeoutMilliseconds: 200)
            if let link = try? AMQPConnection(system.management.address) {
                link.close()
                return
            }
        }
        throw QueueError(.serverGone, "the broker did not come back within 10 minutes")
    }
}
