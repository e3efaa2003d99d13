public import QueueRunner

/// The handlers that a process has, by the type of task that each of them runs.
public struct HandlerSet: Sendable {
    /// The name of the handler for every type that has none of its own.
    public static let anyType = "*"

    private let handlers: [String: any TaskHandler]

    /// A set of handlers by type.
    public init(_ handlers: [String: any TaskHandler] = [:]) {
        self.handlers = handlers
    }

    /// The handler that runs a type; nil where neither the type nor `*` has one.
    public func handler(for type: String) -> (any TaskHandler)? {
        handlers[type] ?? handlers[Self.anyType]
    }

    /// The types in alphabetical order; nil where any type is handled.
    public var types: [String]? {
        handlers[Self.anyType] == nil ? handlers.keys.sorted() : nil
    }
}
