import SluiceModel

/// The methods for queues, consumers and transactions.
extension AMQPConnection {
    /// How many messages wait in a queue, and how many consumers it has.
    typealias Depth = (ready: Int, consumers: Int)

    /// Counts a queue; nil if it is not there. Another error of the channel is thrown.
    func depth(of queue: String) throws(AMQPError) -> Depth? {
        do {
            return try declare(queue, flags: 1)
        } catch {
            guard error.code == 404 else { throw error }
            return nil
        }
    }

    /// Makes a durable queue, if it is not there.
    @discardableResult
    func declareDurable(_ queue: String, _ arguments: JSONObject) throws(AMQPError) -> Depth {
        try declare(queue, flags: 2, arguments)
    }

    /// Makes a queue that lives as long as this connection, and is no other one's: refused with
    /// the number 405 where another connection has it.
    @discardableResult
    func declareExclusive(_ queue: String) throws(AMQPError) -> Depth {
        try declare(queue, flags: 4 | 8)
    }

    private func declare(
        _ queue: String, flags: UInt8, _ arguments: JSONObject = [:]
    ) throws(AMQPError) -> Depth {
        var reader = try ask(50, 10, answer: 11) { writer throws(AMQPError) in
            writer.raw([0, 0])
            try writer.short(queue)
            writer.number(flags)
            try writer.table(arguments)
        }
        _ = try reader.short()
        let ready = try reader.number(UInt32.self)
        return (Int(ready), Int(try reader.number(UInt32.self)))
    }

    /// Makes a durable exchange, if it is not there.
    func declareExchange(
        _ exchange: String, type: String, _ arguments: JSONObject = [:]
    ) throws(AMQPError) {
        try ask(40, 10, answer: 11) { writer throws(AMQPError) in
            writer.raw([0, 0])
            try writer.short(exchange)
            try writer.short(type)
            writer.number(UInt8(2))
            try writer.table(arguments)
        }
    }

    /// Deletes an exchange, if it exists.
    func deleteExchange(_ exchange: String) throws(AMQPError) {
        try ask(40, 20, answer: 21) { writer throws(AMQPError) in
            writer.raw([0, 0])
            try writer.short(exchange)
            writer.number(UInt8(0))
        }
    }

    /// Binds a queue, if it is not bound so already.
    func bind(
        _ queue: String, to exchange: String, key: String = "", _ arguments: JSONObject = [:]
    ) throws(AMQPError) {
        try ask(50, 20, answer: 21) { writer throws(AMQPError) in
            writer.raw([0, 0])
            try writer.short(queue)
            try writer.short(exchange)
            try writer.short(key)
            writer.number(UInt8(0))
            try writer.table(arguments)
        }
    }

    /// Takes a binding away, if it exists.
    func unbind(
        _ queue: String, from exchange: String, key: String = "", _ arguments: JSONObject
    ) throws(AMQPError) {
        try ask(50, 50, answer: 51) { writer throws(AMQPError) in
            writer.raw([0, 0])
            try writer.short(queue)
            try writer.short(exchange)
            try writer.short(key)
            try writer.table(arguments)
        }
    }

    /// Deletes a queue. Without `isForced`, the broker refuses a queue with messages or consumers
    /// with 406.
    func delete(_ queue: String, isForced: Bool = false) throws(AMQPError) {
        try ask(50, 40, answer: 41) { writer throws(AMQPError) in
            writer.raw([0, 0])
            try writer.short(queue)
            writer.number(UInt8(isForced ? 0 : 3))
        }
    }

    /// Starts a consumer with at most `ahead` unacknowledged messages. The broker refuses with 403
    /// if another consumer is exclusive, or if this one wants to be exclusive and another one
    /// exists.
    func consume(
        _ queue: String, as tag: String, ahead: UInt16, isExclusive: Bool = false,
        acknowledges: Bool = true, priority: Int64? = nil
    ) throws(AMQPError) {
        try limitAhead(ahead)
        try ask(60, 20, answer: 21) { writer throws(AMQPError) in
            writer.raw([0, 0])
            try writer.short(queue)
            try writer.short(tag)
            writer.number(UInt8((acknowledges ? 0 : 2) | (isExclusive ? 4 : 0)))
            try writer.table(priority.map { ["x-priority": .integer($0)] } ?? [:])
        }
    }

    /// Ends a consumer. Its unacknowledged messages stay with this channel.
    func cancel(_ tag: String) throws(AMQPError) {
        try ask(60, 30, answer: 31) { writer throws(AMQPError) in
            try writer.short(tag)
            writer.number(UInt8(0))
        }
    }

    /// Acknowledges a message, or all up to it.
    func acknowledge(_ tag: UInt64, upTo: Bool = false) throws(AMQPError) {
        try ask(60, 80) { writer throws(AMQPError) in
            writer.number(tag)
            writer.number(UInt8(upTo ? 1 : 0))
        }
    }

    /// Gives a message back to its queue.
    func reject(_ tag: UInt64) throws(AMQPError) {
        try ask(60, 120) { writer throws(AMQPError) in
            writer.number(tag)
            writer.number(UInt8(2))
        }
    }

    /// Gives all messages in hand back to their queues.
    func rejectAll() throws(AMQPError) {
        try ask(60, 120) { writer throws(AMQPError) in
            writer.number(UInt64(0))
            writer.number(UInt8(3))
        }
        while try next(within: 0) != nil {}
    }

    /// Makes the channel one of transactions.
    func beginTransactions() throws(AMQPError) {
        try ask(90, 10, answer: 11) { _ throws(AMQPError) in }
    }

    /// Gives a message back to its queue past this channel's consumer of that: the consumer ends,
    /// the message is given back, and `next` begins. All is sent before the broker answers, so
    /// that hardly another message passes. A queue takes no tag twice.
    func passBack(
        _ tag: UInt64, to queue: String, ending consumer: String, next: String, priority: Int64
    ) throws(AMQPError) {
        try ask(60, 30) { writer throws(AMQPError) in
            try writer.short(consumer)
            writer.number(UInt8(1))
        }
        try reject(tag)
        try ask(60, 20) { writer throws(AMQPError) in
            writer.raw([0, 0])
            try writer.short(queue)
            try writer.short(next)
            writer.number(UInt8(8))
            try writer.table(["x-priority": .integer(priority)])
        }
    }

    private func limitAhead(_ count: UInt16) throws(AMQPError) {
        try ask(60, 10, answer: 11) { writer throws(AMQPError) in
            writer.number(UInt32(0))
            writer.number(count)
            writer.number(UInt8(0))
        }
    }

    /// Commits the transaction; a lost connection discards it. Returns the messages that no queue
    /// accepted.
    func commit() throws(AMQPError) -> [AMQPContent] {
        try ask(90, 20, answer: 21) { _ throws(AMQPError) in }
        return drainReturned()
    }
}
