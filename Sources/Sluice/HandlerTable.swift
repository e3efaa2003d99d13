/// The handlers of a client: by type, and by type in the queues of a prefix.
struct HandlerTable: Sendable {
    private var byType: [String: any TaskHandler] = [:]
    private var byPrefix: [String: [String: any TaskHandler]] = [:]

    /// Adds a handler; throws where there would be two for one task (A4, YTQ-18).
    mutating func add(
        _ handler: any TaskHandler, type: String, queuePrefix: String?
    ) throws(QueueError) {
        try Names.check(type, of: "type")
        if let queuePrefix {
            let others = byPrefix.keys.filter { $0 != queuePrefix }.sorted()
            try QueueBroker.check(queuePrefix, beside: others)
        }
        let there = queuePrefix.map { byPrefix[$0, default: [:]] } ?? byType
        guard there[type] == nil else {
            let place = queuePrefix.map { " in the queues \"\($0)…\"" } ?? ""
            throw QueueError(
                .badHandlers, "there are two handlers for \"\(type)\"\(place)",
                fix: "register one for each type")
        }
        if let queuePrefix {
            byPrefix[queuePrefix, default: [:]][type] = handler
        } else {
            byType[type] = handler
        }
    }

    /// The types handled in any queue; nil for every type.
    var types: [String]? { Self.types(byType) }

    /// The handler of a type in any queue.
    func handler(for type: String) -> (any TaskHandler)? { byType[type] ?? byType["*"] }

    /// The handlers of the prefixes.
    var brokers: [Broker] {
        byPrefix.sorted { $0.key < $1.key }.map { prefix, handlers in
            Broker(queuePrefix: prefix, types: Self.types(handlers)) {
                handlers[$0] ?? handlers["*"]
            }
        }
    }

    private static func types(_ handlers: [String: any TaskHandler]) -> [String]? {
        handlers["*"] == nil ? handlers.keys.sorted() : nil
    }
}
