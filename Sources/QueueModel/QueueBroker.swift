/// That a process handles types in every queue whose name begins with a prefix, those of today and
/// those that come (YTQ-18).
public struct QueueBroker: Hashable, Sendable {
    /// The beginning of the queues' names, compared byte by byte.
    public var prefix: String
    /// The types it handles there; nil for every type.
    public var types: [String]?

    /// A broker for a prefix.
    public init(prefix: String, types: [String]?) {
        self.prefix = Names.composed(prefix)
        self.types = types?.map(Names.composed)
    }

    /// Whether a queue is one of its own.
    public func covers(_ queue: String) -> Bool { queue.utf8.starts(with: prefix.utf8) }

    /// Throws `badHandlers` where a queue could belong to two prefixes: one of them begins the
    /// other.
    public static func check(
        _ prefix: String, beside others: some Sequence<String>
    ) throws(QueueError) {
        try Names.check(prefix, of: "queue prefix")
        for other in others {
            let isLonger = prefix.utf8.count > other.utf8.count
            let (short, long) = isLonger ? (other, prefix) : (prefix, other)
            guard long.utf8.starts(with: short.utf8) else { continue }
            throw QueueError(
                .badHandlers,
                "the queue \"\(long)\" would belong to two prefixes, \"\(short)\" and \"\(long)\"",
                fix: "choose prefixes of which none begins another, such as \"\(short)-\"")
        }
    }
}

extension ProcessRecord {
    /// The types it handles in a queue; nil for every type.
    public func types(in queue: String) -> [String]? {
        guard let types, let broker = brokers.first(where: { $0.covers(queue) }) else {
            return types
        }
        return broker.types.map { types + $0 }
    }

    /// What it handles, for people: types, and those of its brokers as `chat-*/send`; nil for every
    /// type of every queue.
    public var handledNames: [String]? {
        types.map { types in
            types
                + brokers.flatMap { broker in
                    (broker.types ?? ["*"]).map { "\(broker.prefix)*/\($0)" }
                }
        }
    }
}
