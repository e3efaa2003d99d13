import SluiceModel

/// The assignment of queues to a runner's brokers. Prefixes are fixed; predicates are called when a
/// queue first appears.
struct BrokerTable: Sendable {
    private let brokers: [Broker]
    /// The queues that each broker chose, if it has a predicate.
    private var chosen: [[String]]
    private var met: Set<String> = []
    /// The queues that two brokers want for the same type.
    private(set) var contested: [ContestedQueue] = []

    /// Throws `badHandlers` where a queue could belong to two prefixes.
    init(_ brokers: [Broker]) throws(QueueError) {
        let prefixes = brokers.compactMap(\.prefix)
        for (index, prefix) in prefixes.enumerated() {
            try QueueBroker.check(prefix, beside: prefixes[..<index])
        }
        self.brokers = brokers
        chosen = brokers.map { _ in [] }
    }

    /// Whether a queue that comes must be met.
    var hasPredicates: Bool { brokers.contains { $0.prefix == nil } }

    /// Asks the predicates about queues that were not met yet.
    mutating func meet(_ queues: some Sequence<String>) {
        for queue in queues where met.insert(queue).inserted {
            let wanting = brokers.indices.filter { brokers[$0].choice.wants(queue) }
            for place in wanting where brokers[place].prefix == nil {
                chosen[place].append(queue)
            }
            if let rivals = rivals(wanting) {
                contested.append(
                    ContestedQueue(queue: queue, handlers: rivals.map { brokers[$0].name }))
            }
        }
    }

    private func rivals(_ wanting: [Int]) -> [Int]? {
        for (index, one) in wanting.enumerated() {
            let other = wanting[(index + 1)...].first { brokers[one].overlaps(brokers[$0]) }
            if let other { return [one, other] }
        }
        return nil
    }

    var rows: [QueueBroker] {
        zip(brokers, chosen).map { broker, names in
            QueueBroker(broker.prefix.map { .prefix($0) } ?? .chosen(names), types: broker.types)
        }
    }

    /// The handler that a broker chose for a type in a known queue, if any.
    func handler(of type: String, in queue: String) -> (any TaskHandler)? {
        for broker in brokers where broker.choice.wants(queue) {
            if let handler = broker.handlers(type) { return handler }
        }
        return nil
    }

    func contest(over queue: String) -> ContestedQueue? { contested.first { $0.queue == queue } }
}
