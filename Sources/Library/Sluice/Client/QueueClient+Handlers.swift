import SluicePlatform

/// A thread for a handler.
public enum HandlerThread: Hashable, Sendable {
    /// The main one, with the app's screens.
    case main
}

/// A thread for each execution of a handler.
public enum BlockingThread: Hashable, Sendable {
    /// A new thread, which ends after the execution.
    case ownThread
}

/// Registers handlers. `queuePrefix` limits a handler to queues with this name prefix, and
/// `forQueues` to present and future queues that it selects. In these queues it takes precedence
/// over a handler for every queue (YTQ-18, YTQ-20).
extension QueueClient {
    /// Registers the handler of a type. It runs at the priority `utility`. An error means a retry,
    /// unless it is a `HandlerError`.
    ///
    /// Throws for a second handler of the same type, and for a prefix that begins another (A4,
    /// YTQ-18). The queues of `forQueues` are known only when they exist. If two handlers of the
    /// type then want one queue, `start` throws. A running worker takes nothing from that queue,
    /// and reports it in `events` and `sluice why`. The client calls `forQueues` once per queue,
    /// and again after a new handler, on any thread. Running workers use the handler from now on.
    public func handle<Payload: TaskPayload>(
        _ type: Payload.Type, queuePrefix: String? = nil,
        forQueues wants: (@Sendable (String) -> Bool)? = nil,
        timeout: Duration? = nil, file: String = #fileID, line: Int = #line,
        _ body: @escaping @Sendable (Payload, TaskContext) async throws -> Void
    ) throws {
        let place = try place(of: type.taskType, queuePrefix, wants, file, line)
        try handleBytes(type, place, timeout) {
            try await body($0, $1)
            return nil
        }
    }

    /// Registers the handler of a type whose return value is its result. The store keeps the result
    /// as JSON with the task (S4). `result` makes the intent explicit, so that a last expression
    /// does not become a result by accident.
    public func handle<Payload: TaskPayload, Value: Encodable & Sendable>(
        _ type: Payload.Type, returning result: Value.Type, queuePrefix: String? = nil,
        forQueues wants: (@Sendable (String) -> Bool)? = nil,
        timeout: Duration? = nil, file: String = #fileID, line: Int = #line,
        _ body: @escaping @Sendable (Payload, TaskContext) async throws -> Value
    ) throws {
        let place = try place(of: type.taskType, queuePrefix, wants, file, line)
        try handleBytes(type, place, timeout) {
            try PayloadCoding.encodeJSON(try await body($0, $1), "result")
        }
    }

    /// Registers the handler of a type that runs on the main thread, where an app has its screens.
    /// The program must let its main actor run.
    public func handle<Payload: TaskPayload>(
        _ type: Payload.Type, on thread: HandlerThread, queuePrefix: String? = nil,
        forQueues wants: (@Sendable (String) -> Bool)? = nil,
        timeout: Duration? = nil, file: String = #fileID, line: Int = #line,
        _ body: @escaping @MainActor @Sendable (Payload, TaskContext) async throws -> Void
    ) throws {
        let place = try place(of: type.taskType, queuePrefix, wants, file, line)
        switch thread {
        case .main:
            try handleBytes(type, place, timeout) {
                try await body($0, $1)
                return nil
            }
        }
    }

    /// Registers a handler that may block. Each execution has its own thread, so reading a file or
    /// calling a slow library delays no other handlers.
    public func handle<Payload: TaskPayload>(
        _ type: Payload.Type, on thread: BlockingThread, queuePrefix: String? = nil,
        forQueues wants: (@Sendable (String) -> Bool)? = nil,
        timeout: Duration? = nil, file: String = #fileID, line: Int = #line,
        _ body: @escaping @Sendable (Payload, TaskContext) async throws -> Void
    ) throws {
        let place = try place(of: type.taskType, queuePrefix, wants, file, line)
        try handleBytes(type, place, timeout, hasOwnThread: true) {
            try await body($0, $1)
            return nil
        }
    }

    /// Registers the handler of a type that may block, and whose value is its result.
    public func handle<Payload: TaskPayload, Value: Encodable & Sendable>(
        _ type: Payload.Type, on thread: BlockingThread, returning result: Value.Type,
        queuePrefix: String? = nil, forQueues wants: (@Sendable (String) -> Bool)? = nil,
        timeout: Duration? = nil, file: String = #fileID, line: Int = #line,
        _ body: @escaping @Sendable (Payload, TaskContext) async throws -> Value
    ) throws {
        let place = try place(of: type.taskType, queuePrefix, wants, file, line)
        try handleBytes(type, place, timeout, hasOwnThread: true) {
            try PayloadCoding.encodeJSON(try await body($0, $1), "result")
        }
    }

    /// Registers any handler for a type; `*` handles every other type.
    package func handle(
        type: String, queuePrefix: String? = nil,
        forQueues wants: (@Sendable (String) -> Bool)? = nil, file: String = #fileID,
        line: Int = #line, _ handler: any TaskHandler
    ) throws {
        let place = try place(of: type, queuePrefix, wants, file, line)
        try add(layers.around(handler), type, place)
    }

    private func handleBytes<Payload: TaskPayload>(
        _ type: Payload.Type, _ place: HandlerTable.Place, _ timeout: Duration?,
        hasOwnThread: Bool = false,
        _ body: @escaping @Sendable (Payload, TaskContext) async throws -> [UInt8]?
    ) throws {
        let (layers, chance) = (layers, control.chance)
        var handler = AsyncHandler(timeoutMilliseconds: timeout?.milliseconds) {
            execution, report in
            do {
                return try await layers.run(execution, report) { context in
                    try await body(
                        try PayloadCoding.decode(type, from: execution.payload), context)
                }
            } catch {
                throw Payload.ruled(error, execution, chance)
            }
        }
        handler.hasOwnThread = hasOwnThread
        let (endings, name) = (endings, Payload.taskType)
        handler.restart = { execution in
            endings.withLock { $0[name]?.restart }?(execution) ?? false
        }
        handler.deleted = { execution, outcome in
            endings.withLock { $0[name]?.deletion }?(execution, outcome)
        }
        try add(handler, Payload.taskType, place)
        know(type)
    }

    private func add(
        _ handler: any TaskHandler, _ type: String, _ place: HandlerTable.Place
    ) throws {
        try handlers.withLock { table throws(QueueError) in
            try table.add(handler, type: type, for: place)
        }
        // One after the other, each with all that is known then: the last one serves everything.
        try workers.withLock { workers in
            let known = handlers.withLock { $0 }
            for worker in workers where !worker.hasEnded { try worker.serve(known) }
        }
    }

    /// Names a handler by its source location, which distinguishes two handlers that want a queue.
    private func place(
        of type: String, _ prefix: String?, _ wants: (@Sendable (String) -> Bool)?,
        _ file: String, _ line: Int
    ) throws(QueueError) -> HandlerTable.Place {
        switch (prefix, wants) {
        case (nil, nil): return .anywhere
        case (let prefix?, nil): return .prefix(prefix)
        case (nil, let wants?): return .chosen(name: "\(type) at \(file):\(line)", by: wants)
        case (_?, _?):
            throw QueueError(
                .badHandlers, "the handler of \"\(type)\" has a prefix and chooses queues",
                fix: "leave one of them away")
        }
    }
}
