public import QueueModel

/// The handlers of every queue whose name begins with a prefix; in these queues they go before the
/// runner's others (YTQ-18).
public struct Broker: Sendable {
    /// The prefix, and the types that it says it handles.
    public let queues: QueueBroker
    let handlers: @Sendable (String) -> (any TaskHandler)?

    /// Handlers for a prefix. `types` are the types they handle, nil for every type.
    public init(
        queuePrefix: String, types: [String]?,
        handlers: @escaping @Sendable (String) -> (any TaskHandler)?
    ) {
        queues = QueueBroker(prefix: queuePrefix, types: types)
        self.handlers = handlers
    }
}
