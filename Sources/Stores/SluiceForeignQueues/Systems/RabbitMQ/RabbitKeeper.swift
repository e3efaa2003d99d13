import SluiceModel
import SluiceSystem

/// The process that holds a queue. Its consumer has the highest priority and moves new messages to
/// the held queue. It ends with the hold.
///
/// While it does not run, new messages of a queue of Celery stay there; only a newly started worker
/// takes them. Other consumers take them as ever, unless the queue's bindings are taken away.
final class RabbitKeeper {
    private static let lookMilliseconds: Int64 = 5_000
    private static let awayMilliseconds: Int64 = 600_000
    private static let requests = RabbitPlaces.tagPrefix + "requests"
    private static let stepTag = RabbitPlaces.tagPrefix + "pass"
    private static let guardTag = RabbitPlaces.tagPrefix + "guard"
    private static let retryMilliseconds = 50
    private static let countMilliseconds: Int64 = 1_000
    private static let restMilliseconds: Int64 = 30_000
    private static let mark = "mark"
    /// The wait for a returned message: in a quiet queue, and in one with arrivals.
    private static let quietMilliseconds = 20
    private static let lateMilliseconds: Int64 = 200

    private let system: RabbitSystem
    private let queue: String
    private var isWatching = false
    private var hasHeld = false
    private var form = RabbitForm.celery
    /// The tag of the consumer of the queue. A quorum queue takes none twice.
    private var tag = RabbitKeeper.guardTag
    private var tags = 0
    private var batch: [AMQPDelivery] = []
    private var orders: [JSONValue] = []
    /// Whether the side queue had a task at the last look.
    private var hasStray = false
    private var slips = RabbitSlips()
    private var countedAt: Int64 = 0
    private var channel: String?
    /// The connection of the consumer that lets a task pass among arrivals.
    private var passing: AMQPConnection?
    private var passedAt: Int64 = 0

    init(_ system: RabbitSystem, _ queue: String) { (self.system, self.queue) = (system, queue) }

    /// Holds until the hold ends. Waits for a lost broker.
    func run() throws {
        while true {
            do {
                let link = try connection()
                defer {
                    endPassing()
                    link.close()
                }
                guard try begin(link) else { return }
                return try hold(link)
            } catch let error as AMQPError where error.origin == .lost || error.code == 404 {
                // A deleted queue closes the channel.
                isWatching = false
                try awaitBroker()
            }
        }
    }

    /// False if another process holds it, or no hold exists any more.
    private func begin(_ link: AMQPConnection) throws -> Bool {
        guard try system.isHeld(queue) else { return false }
        form = try system.form(of: queue)
        (batch, orders) = ([], [])
        try RabbitPlaces.declareFan(RabbitPlaces.held(queue), by: link)
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
        if form.isOfConsumers { try beginCount(link) }
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
        // A queue that was deleted has lost its bindings.
        try RabbitPlaces.declareFan(queue, by: link)
        tag = nextTag()
        try link.consume(
            queue, as: tag, ahead: RabbitShelf.ahead, priority: RabbitSystem.priority)
        isWatching = true
    }

    private func nextTag() -> String {
        tags += 1
        return "\(Self.guardTag).\(tags)"
    }

    private func hold(_ link: AMQPConnection) throws {
        let shelf = RabbitShelf(link: link)
        var lookedAt = SystemClock.monotonicMilliseconds()
        while true {
            var wait = 500
            while batch.count < 200, let delivery = try link.next(within: wait) {
                wait = 0
                take(delivery)
            }
            try flush(shelf)
            if orders.contains(where: { $0["verb"]?.string == "end" }) {
                if isWatching { try link.cancel(tag) }
                try shelf.moveAll(
                    from: queue, to: RabbitPlaces.held(queue), .aside, without: Self.requests,
                    isEnded: true)
                return
            }
            let due = orders
            orders = []
            for order in due { try perform(order, shelf) }
            if link.drainCancelled().contains(tag) { isWatching = false }
            let now = SystemClock.monotonicMilliseconds()
            try count(link, now)
            guard now - lookedAt >= Self.lookMilliseconds else { continue }
            lookedAt = now
            guard try system.isHeld(queue) else { return }
            try look(link)
        }
    }

    /// Begins the count of messages that slip through, on a new connection.
    private func beginCount(_ link: AMQPConnection) throws {
        let told = try system.told(RabbitPlaces.slipped(queue))
        slips = RabbitSlips(after: told?["arguments"]?[RabbitSystem.slippedKey]?.integer)
        channel = nil
        try sendMark(link)
    }

    private func sendMark(_ link: AMQPConnection) throws {
        try link.publish(
            try AMQPContent(json: ["verb": .string(Self.mark)]), exchange: "",
            key: RabbitPlaces.keeper(queue), mandatory: false)
        _ = try link.commit()
    }

    /// Looks at the broker's counts while they are due.
    private func count(_ link: AMQPConnection, _ now: Int64) throws {
        guard form.isOfConsumers, slips.isOpen else { return endPassing() }
        guard now - countedAt >= Self.countMilliseconds else { return }
        countedAt = now
        // It sends no heartbeats.
        if now - passedAt >= Self.restMilliseconds { endPassing() }
        let former = slips.slipped
        do {
            channel = try channel ?? system.channel(ofKeeper: queue)
            guard let channel, let counts = try system.collected(queue, channel) else { return }
            if slips.take(counts) { try sendMark(link) }
        } catch is QueueError {
            // The hold continues without the management interface, and the count waits for it.
            return
        }
        guard let count = slips.slipped, count != former else { return }
        try system.keepSlipped(count, of: queue)
    }

    private func take(_ delivery: AMQPDelivery) {
        guard delivery.consumer == Self.requests else {
            if delivery.consumer == Self.stepTag { slips.takeAside() }
            return batch.append(delivery)
        }
        // A message that is no order of this program is left out.
        let order = try? JSONValue.parse(delivery.content.body)
        let isMark = order?["verb"]?.string == Self.mark
        slips.hear(isMark: isMark)
        if let order, !isMark { orders.append(order) }
    }

    private func flush(_ shelf: RabbitShelf) throws {
        try shelf.move(batch, from: queue, to: RabbitPlaces.held(queue), .aside)
        batch = []
    }

    /// Repairs a hold that others have changed since the last look.
    private func look(_ link: AMQPConnection) throws {
        if !isWatching { try watch(link) }
        guard form.isOfConsumers else {
            let broadcast = try system.broadcast()
            try broadcast.turnAside(queue, among: try broadcast.queues())
            return
        }
        if try system.session().depth(of: queue) != nil { try sealAgain() }
        // A step that died has left its task there.
        let ready = try system.session().depth(of: RabbitPlaces.side(queue))?.ready ?? 0
        if hasStray, ready > 0 { _ = try system.takeBack(queue) }
        hasStray = ready > 0
    }

    /// An app that starts binds its queue again.
    private func sealAgain() throws {
        let seal = RabbitSeal(management: system.management)
        try seal.takeAway(form.sealed, queue, by: try system.session())
    }

    private func perform(_ order: JSONValue, _ shelf: RabbitShelf) throws {
        guard order["verb"]?.string == RabbitSystem.stepOrder, let reply = order["reply"]?.string
        else { return }
        let limit = order["milliseconds"]?.integer ?? 0
        let passage = try letPass(
            shelf, until: SystemClock.monotonicMilliseconds() + max(0, min(limit, 600_000)))
        try shelf.link.publish(
            try AMQPContent(json: ["passage": .string(passage.rawValue)]), exchange: "",
            key: reply, mandatory: false)
        _ = try shelf.link.commit()
        slips.step(isTaken: passage == .taken)
        try sendMark(shelf.link)
    }

    /// Lets the task in the side queue pass to a consumer of the queue.
    private func letPass(_ shelf: RabbitShelf, until deadline: Int64) throws -> RabbitPassage {
        guard isWatching, let task = try taskAside(shelf.link) else { return .missing }
        // A quorum queue counts returned tasks, and drops a task beyond its limit.
        let isCounted = try system.told(queue)?["type"]?.string == "quorum"
        return try form.sealed.isEmpty && !isCounted
            ? passAmongArrivals(task, shelf, until: deadline) : pass(task, shelf, until: deadline)
    }

    /// This process's consumer ends until the task is taken, or something else arrives; again, if
    /// no consumer had time for the task by then.
    private func pass(
        _ first: AMQPDelivery, _ shelf: RabbitShelf, until deadline: Int64
    ) throws -> RabbitPassage {
        let isIt = RabbitMessage.matcher(of: first)
        var task = first
        while true {
            try sealAgain()
            try shelf.link.cancel(tag)
            isWatching = false
            guard try put(task, shelf.link) else { return .missing }
            while try system.session().depth(of: queue)?.ready == 1,
                SystemClock.monotonicMilliseconds() < deadline
            {
                _ = try Poll.wait(fds: [], timeoutMilliseconds: 1)
            }
            try watch(shelf.link)
            let back = try given(shelf.link, tag, isIt)
            for delivery in back.others { take(delivery) }
            try flush(shelf)
            guard let found = back.found else { return .taken }
            guard SystemClock.monotonicMilliseconds() < deadline else {
                batch = [found]
                try flush(shelf)
                return .refused
            }
            task = found
            _ = try Poll.wait(fds: [], timeoutMilliseconds: Self.retryMilliseconds)
        }
    }

    /// A second consumer gets the task, and all arrivals. It ends for the moment in which it gives
    /// the task back; again, if no consumer had time for that.
    private func passAmongArrivals(
        _ task: AMQPDelivery, _ shelf: RabbitShelf, until deadline: Int64
    ) throws -> RabbitPassage {
        let isIt = RabbitMessage.matcher(of: task)
        let link = try passing ?? connection()
        passing = link
        let before = link.delivered
        var consumer = nextTag()
        let priority = RabbitSystem.priority
        try link.consume(
            queue, as: consumer, ahead: RabbitShelf.ahead, priority: priority + 1)
        guard try put(task, shelf.link) else {
            endPassing()
            return .missing
        }
        var found = try given(link, consumer, isIt).found
        try shelf.link.cancel(tag)
        isWatching = false
        while let task = found, SystemClock.monotonicMilliseconds() < deadline {
            let next = nextTag()
            try link.passBack(
                task.tag, to: queue, ending: consumer, next: next, priority: priority + 1)
            consumer = next
            found = try given(link, consumer, isIt).found
            guard found != nil else { break }
            _ = try Poll.wait(fds: [], timeoutMilliseconds: Self.retryMilliseconds)
        }
        try watch(shelf.link)
        // The arrivals go to this process's first consumer.
        try link.cancel(consumer)
        try link.rejectAll()
        slips.takeApart(link.delivered - before)
        passedAt = SystemClock.monotonicMilliseconds()
        return found == nil ? .taken : .refused
    }

    private func connection() throws -> AMQPConnection {
        try AMQPConnection(system.management.address, name: "sluice keep \(queue)")
    }

    /// Closes the second connection. The broker may lose the counts of a connection that ends
    /// before it has collected them.
    private func endPassing() {
        passing?.close()
        passing = nil
    }

    /// Puts the task into its queue. False if that is deleted; the task is held again.
    private func put(_ task: AMQPDelivery, _ link: AMQPConnection) throws -> Bool {
        let content = RabbitShelf.turned(task.content, .back)
        try link.publish(
            content, exchange: RabbitPlaces.fan(queue), key: task.routingKey, mandatory: true)
        try link.acknowledge(task.tag)
        guard try !link.commit().isEmpty else { return true }
        try putAside(content, task.routingKey)
        return false
    }

    /// Puts a task aside whose queue is deleted. The broker closes this process's channel then.
    private func putAside(_ content: AMQPContent, _ key: String) throws {
        let link = try connection()
        defer { link.close() }
        try link.beginTransactions()
        let held = RabbitPlaces.fan(RabbitPlaces.held(queue))
        try link.publish(content, exchange: held, key: key, mandatory: true)
        guard try link.commit().isEmpty else {
            throw QueueError(.changed, "\(queue) and its held queue are deleted")
        }
    }

    /// The task in the side queue, in the hand of this connection.
    private func taskAside(_ link: AMQPConnection) throws -> AMQPDelivery? {
        try link.consume(RabbitPlaces.side(queue), as: Self.stepTag, ahead: 1)
        defer { try? link.cancel(Self.stepTag) }
        let deadline = SystemClock.monotonicMilliseconds() + 2_000
        while SystemClock.monotonicMilliseconds() < deadline,
            let delivery = try link.next(within: 2_000)
        {
            guard delivery.consumer == Self.stepTag else {
                take(delivery)
                continue
            }
            slips.takeAside()
            return delivery
        }
        return nil
    }

    /// The deliveries to a consumer that comes before all others: the wanted one, and the rest.
    /// Does not wait for the end of arrivals, because messages may arrive without a pause.
    private func given(
        _ link: AMQPConnection, _ consumer: String, _ isIt: (AMQPDelivery) -> Bool
    ) throws -> (found: AMQPDelivery?, others: [AMQPDelivery]) {
        var others: [AMQPDelivery] = []
        func isFound(_ delivery: AMQPDelivery) -> Bool {
            let isFound = delivery.consumer == consumer && isIt(delivery)
            if !isFound { others.append(delivery) }
            return isFound
        }
        // The count excludes sent messages, and these arrive before the count.
        let ready = try link.depth(of: queue)?.ready ?? 0
        for _ in 0..<(link.waiting + ready) {
            guard let delivery = try link.next(within: 1_000) else { break }
            if isFound(delivery) { return (delivery, others) }
        }
        // A quorum queue sends some later.
        let deadline = SystemClock.monotonicMilliseconds() + Self.lateMilliseconds
        while SystemClock.monotonicMilliseconds() < deadline,
            let delivery = try link.next(within: Self.quietMilliseconds)
        {
            if isFound(delivery) { return (delivery, others) }
        }
        return (nil, others)
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
