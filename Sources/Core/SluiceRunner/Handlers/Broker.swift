import SluiceModel

/// The handlers of some queues; in these they go before the runner's others (YTQ-18, YTQ-20).
package struct Broker: Sendable {
    /// How its queues are chosen.
    enum Choice: Sendable {
        case prefix(String)
        case predicate(@Sendable (String) -> Bool)

        func wants(_ queue: String) -> Bool {
            switch self {
            case .prefix(let prefix): queue.utf8.starts(with: prefix.utf8)
            case .predicate(let wants): wants(queue)
            }
        }
    }
    /// The name in the error if two brokers claim the same queue.
    package let name: String
    /// The types they handle; nil for every type.
    package let types: [String]?
    let choice: Choice
    let handlers: @Sendable (String) -> (any TaskHandler)?

    /// Handlers for the queues whose names begin with a prefix.
    package init(
        queuePrefix: String, types: [String]?,
        handlers: @escaping @Sendable (String) -> (any TaskHandler)?
    ) {
        let prefix = Names.composed(queuePrefix)
        name = "\(prefix)*"
        choice = .prefix(prefix)
        self.types = types?.map(Names.composed)
        self.handlers = handlers
    }

    /// Handlers for the queues that a predicate selects. The predicate is called once for each
    /// queue with waiting tasks, on any thread. It must always return the same result for a queue.
    package init(
        name: String, types: [String]?, forQueues wants: @escaping @Sendable (String) -> Bool,
        handlers: @escaping @Sendable (String) -> (any TaskHandler)?
    ) {
        self.name = name
        choice = .predicate(wants)
        self.types = types?.map(Names.composed)
        self.handlers = handlers
    }

    var prefix: String? {
        if case .prefix(let prefix) = choice { return prefix }
        return nil
    }

    /// Whether both would execute some task of a queue that both want.
    func overlaps(_ other: Broker) -> Bool {
        guard let types, let others = other.types else { return true }
        return types.contains { others.contains($0) }
    }
}
