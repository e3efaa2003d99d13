import SluiceModel
import SluiceSystem

/// Moves of messages between queues, by transactions: whole, or not at all
/// where this process or its connection ends before.
struct RabbitShelf {
    /// The bounds of one transaction: messages and bytes.
    private static let batchCount = 200
    private static let batchBytes = 4 << 20
    /// The maximum prefetch of a consumer.
    static let ahead: UInt16 = .max
    /// The prefetch of a search for one task. The broker sends all that a consumer may get, and a
    /// person most often means one of the first tasks.
    static let firstAhead: UInt16 = 500
    private static let seizeMilliseconds: Int64 = 5_000
    private static let quietMilliseconds = 20

    let link: AMQPConnection

    /// Which way a message goes: into a queue of this program, or out of one.
    enum Way { case aside, back }

    /// Becomes the only consumer of a queue of this program. Another tool that reads it is waited
    /// for; throws `storeBusy` where that does not end.
    func seize(_ queue: String, ahead: UInt16 = Self.ahead) throws {
        let deadline = SystemClock.monotonicMilliseconds() + Self.seizeMilliseconds
        while true {
            if try begin(queue, ahead) { return }
            guard SystemClock.monotonicMilliseconds() < deadline else {
                throw QueueError(
                    .storeBusy, "another program reads \(queue)", fix: "try again")
            }
            _ = try Poll.wait(fds: [], timeoutMilliseconds: 10)
        }
    }

    /// False where another consumer has it.
    private func begin(_ queue: String, _ ahead: UInt16) throws(AMQPError) -> Bool {
        do {
            try link.consume(queue, as: "sluice.\(queue)", ahead: ahead, isExclusive: true)
            return true
        } catch {
            guard error.code == 403, error.message.contains("exclusive") else { throw error }
            return false
        }
    }

    /// Hands over what a consumer of a queue gets, until `take` gives false, `limit` came or no
    /// more waits. False if there may be more.
    func each(
        of queue: String, limit: Int = Int(Self.ahead), _ take: (AMQPDelivery) throws -> Bool
    ) throws -> Bool {
        var count = 0
        while true {
            while count < limit, let delivery = try link.next(within: 0) {
                count += 1
                guard try take(delivery) else { return false }
            }
            let left = try link.depth(of: queue)?.ready ?? 0
            guard count < limit else { return left == 0 }
            // The broker sends all counted messages before it answers; a quorum queue sends some
            // later.
            guard let delivery = try link.next(within: left == 0 ? Self.quietMilliseconds : 1_000)
            else {
                guard left > 0 else { return true }
                throw QueueError(
                    .serverGone, "the broker does not send the \(left) messages of \(queue)",
                    fix: "check the broker and try again")
            }
            count += 1
            guard try take(delivery) else { return false }
        }
    }

    /// Moves messages from one queue to another, in order and with their routing keys. If the
    /// target no longer exists, returns them to the source and throws. Its exchange is declared.
    func move(_ batch: [AMQPDelivery], from source: String, to target: String, _ way: Way) throws {
        guard let last = batch.last else { return }
        for delivery in batch {
            try link.publish(
                Self.turned(delivery.content, way), exchange: RabbitPlaces.fan(target),
                key: delivery.routingKey, mandatory: true)
        }
        try link.acknowledge(last.tag, upTo: true)
        try settle(try link.commit(), source, target)
    }

    /// Puts one message into a queue and takes it out of its present one; `exchange` leads to
    /// the queue if it is not the usual one, and `content` replaces its own.
    func move(
        _ delivery: AMQPDelivery, from source: String, to target: String, _ way: Way,
        by exchange: String? = nil, as content: AMQPContent? = nil, with entry: AMQPContent? = nil
    ) throws {
        try link.publish(
            Self.turned(content ?? delivery.content, way),
            exchange: exchange ?? RabbitPlaces.fan(target), key: delivery.routingKey,
            mandatory: true)
        if let entry {
            try link.publish(entry, exchange: "", key: RabbitPlaces.undo, mandatory: true)
        }
        try link.acknowledge(delivery.tag)
        try settle(try link.commit(), source, target)
    }

    /// Publishes a message to a queue, in one transaction with the acknowledgements since the last
    /// one.
    func put(
        _ content: AMQPContent, into target: String, isBack: Bool, key: String? = nil
    ) throws {
        let content = isBack ? Self.turned(content, .back) : content
        let exchange = key == nil ? "" : RabbitPlaces.fan(target)
        try link.publish(content, exchange: exchange, key: key ?? target, mandatory: true)
        guard try !link.commit().isEmpty else { return }
        try link.publish(content, exchange: "", key: RabbitPlaces.held(target), mandatory: true)
        _ = try link.commit()
        throw QueueError(
            .changed, "there is no queue \(target) any more", fix: "make it again as its app does")
    }

    /// Adjusts the expiration. Moves a message with unreadable properties unchanged.
    static func turned(_ content: AMQPContent, _ way: Way) -> AMQPContent {
        let turned = try? way == .aside ? content.withoutExpiration() : content.withExpiration()
        return turned ?? content
    }

    private func settle(_ returned: [AMQPContent], _ source: String, _ target: String) throws {
        guard !returned.isEmpty else { return }
        for content in returned {
            try link.publish(content, exchange: "", key: source, mandatory: true)
        }
        let lost = try link.commit().count
        let rest = lost == 0 ? "" : "; \(lost) are lost, since \(source) is missing too"
        throw QueueError(
            .changed, "there is no queue \(target) any more: its messages stay in \(source)\(rest)",
            fix: "make it again as its app does, then repeat")
    }

    /// Moves up to `limit` messages of a queue's consumer, until none arrive; returns their number.
    /// Ignores deliveries to the consumer `other`. If the consumer has ended (`isEnded`), moves
    /// only the messages already received.
    @discardableResult
    func moveAll(
        from source: String, to target: String, _ way: Way, without other: String? = nil,
        limit: Int = .max, isEnded: Bool = false
    ) throws -> Int {
        var (moved, bytes) = (0, 0)
        var batch: [AMQPDelivery] = []
        func flush() throws {
            try move(batch, from: source, to: target, way)
            moved += batch.count
            (batch, bytes) = ([], 0)
        }
        while true {
            while moved + batch.count < limit,
                let delivery = try link.next(within: batch.isEmpty ? Self.quietMilliseconds : 0)
            {
                if delivery.consumer == other { continue }
                batch.append(delivery)
                bytes += delivery.content.body.count
                if batch.count >= Self.batchCount || bytes >= Self.batchBytes { try flush() }
            }
            if !batch.isEmpty {
                try flush()
                continue
            }
            guard !isEnded, moved < limit, try link.depth(of: source)?.ready ?? 0 > 0 else {
                return moved
            }
        }
    }
}
