package import SluiceModel

/// The handlers of a process: by type, and by type in some queues.
package struct HandlerTable: Sendable {
    /// The key of the handler for all types without a specific one.
    package static let anyType = "*"

    /// The scope of a handler's registration.
    package enum Place: Sendable {
        case anywhere
        /// The queues whose names begin so.
        case prefix(String)
        /// The queues that a predicate chooses; `name` is what the handler is called where two want
        /// the same queue.
        case chosen(name: String, by: @Sendable (String) -> Bool)
    }

    private var byType: [String: any TaskHandler] = [:]
    private var byPrefix: [String: [String: any TaskHandler]] = [:]
    private var choosing: [Broker] = []

    /// No handlers.
    package init() {}

    /// Adds a handler; throws `badHandlers` where there would be two for one task (A4, YTQ-18). Two
    /// whose queues are chosen by predicates are found when there is a queue that both want.
    package mutating func add(
        _ handler: any TaskHandler, type: String, for place: Place = .anywhere
    ) throws(QueueError) {
        try Names.check(type, of: "type")
        let type = Names.composed(type)
        switch place {
        case .anywhere:
            guard byType[type] == nil else { throw Self.second(type, "") }
            byType[type] = handler
        case .prefix(let prefix):
            let others = byPrefix.keys.filter { $0 != prefix }.sorted()
            try QueueBroker.check(prefix, beside: others)
            guard byPrefix[prefix]?[type] == nil else {
                throw Self.second(type, " in the queues \"\(prefix)…\"")
            }
            byPrefix[prefix, default: [:]][type] = handler
        case .chosen(let name, let wants):
            choosing.append(
                Broker(
                    name: name, types: type == Self.anyType ? nil : [type], forQueues: wants,
                    handlers: { type == Self.anyType || $0 == type ? handler : nil }))
        }
    }

    /// How many descriptors one execution needs at most.
    package var descriptors: Int {
        let prefixed = byPrefix.values.flatMap { $0.values.map(\.descriptors) }
        return (byType.values.map(\.descriptors) + prefixed).max() ?? 0
    }

    private static func second(_ type: String, _ place: String) -> QueueError {
        QueueError(
            .badHandlers, "there are two handlers for \"\(type)\"\(place)",
            fix: "register one for each type")
    }

    /// The types handled in any queue, in alphabetical order; nil for every type.
    package var types: [String]? { Self.types(byType) }

    /// The handler of a type in any queue; `nil` without one for the type or `*`.
    package func handler(for type: String) -> (any TaskHandler)? {
        byType[type] ?? byType[Self.anyType]
    }

    /// The handlers of some queues.
    package var brokers: [Broker] {
        byPrefix.sorted { $0.key < $1.key }.map { prefix, handlers in
            Broker(queuePrefix: prefix, types: Self.types(handlers)) {
                handlers[$0] ?? handlers[Self.anyType]
            }
        } + choosing
    }

    private static func types(_ handlers: [String: any TaskHandler]) -> [String]? {
        handlers[anyType] == nil ? handlers.keys.sorted() : nil
    }
}
