/// A process's handling of types in some present and future queues (YTQ-18, YTQ-20).
package struct QueueBroker: Hashable, Sendable {
    package enum Queues: Hashable, Sendable {
        /// Every queue whose name begins so, compared byte by byte.
        case prefix(String)
        /// The queues that its predicate chose among those its process has seen.
        case chosen([String])
    }
    /// Which queues are its own.
    package var queues: Queues
    /// The types it handles there; nil for every type.
    package var types: [String]?

    package init(_ queues: Queues, types: [String]?) {
        self.queues = queues
        self.types = types?.map(Names.composed)
    }

    package init(prefix: String, types: [String]?) {
        self.init(.prefix(Names.composed(prefix)), types: types)
    }

    package func covers(_ queue: String) -> Bool {
        switch queues {
        case .prefix(let prefix): queue.utf8.starts(with: prefix.utf8)
        case .chosen(let names): names.contains(queue)
        }
    }

    /// Throws `badHandlers` where a queue could belong to two prefixes: one of them begins the
    /// other.
    package static func check(
        _ prefix: String, beside others: some Sequence<String>
    ) throws(QueueError) {
        try Names.check(prefix, of: "queue prefix")
        for other in others {
            let isLonger = prefix.utf8.count > other.utf8.count
            let (short, long) = isLonger ? (other, prefix) : (prefix, other)
            guard long.utf8.starts(with: short.utf8) else { continue }
            let other = "\(short)-"
            let isApart = !short.hasSuffix("-") && !long.utf8.starts(with: other.utf8)
            throw QueueError(
                .badHandlers,
                "the queue \"\(long)\" would belong to two prefixes, \"\(short)\" and \"\(long)\"",
                fix: "choose prefixes that do not begin with each other"
                    + (isApart ? ", such as \"\(other)\" for \"\(short)\"" : ""))
        }
    }
}

/// A queue that two handlers of one process want for the same type, so that the process takes
/// nothing from it (YTQ-18).
package struct ContestedQueue: Hashable, Sendable {
    package var queue: String
    /// The names of the two handlers.
    package var handlers: [String]

    /// A queue and the handlers that want it.
    package init(queue: String, handlers: [String]) {
        self.queue = queue
        self.handlers = handlers
    }

    /// The conflict in words.
    package var words: String {
        "two handlers want the queue \"\(queue)\": \(handlers.joined(separator: " and "))"
    }

    package var error: QueueError {
        QueueError(
            .badHandlers, words, fix: "let one of them choose other queues, or another type")
    }
}

extension ProcessRecord {
    /// The types it handles in a queue; nil for every type.
    package func types(in queue: String) -> [String]? {
        guard var found = types else { return nil }
        for broker in brokers where broker.covers(queue) {
            guard let types = broker.types else { return nil }
            found += types
        }
        return found
    }

    /// The handled types for display, with brokers as `chat-*/send`; `nil` for every type of every
    /// queue.
    package var handledNames: [String]? {
        types.map { types in types + brokers.flatMap(\.handledNames) }
    }
}

extension QueueBroker {
    fileprivate var handledNames: [String] {
        let places: [String]
        switch queues {
        case .prefix(let prefix): places = ["\(prefix)*"]
        case .chosen(let names): places = names
        }
        return places.flatMap { place in (types ?? ["*"]).map { "\(place)/\($0)" } }
    }
}
