import SluiceSystem

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

/// A wrapper around each attempt of a client's handlers. It may act before and after `next`, which
/// calls the next inner layer and finally the handler.
///
/// `next` throws the handler's error, or a `HandlerError` if a payload does not decode. An error
/// from the middleware ends the attempt like an error from the handler. If it returns, the attempt
/// succeeds, even without a call of `next`.
public typealias TaskMiddleware =
    @Sendable (TaskContext, _ next: @Sendable () async throws -> Void) async throws -> Void

extension QueueClient {
    /// Adds a middleware around the attempts of every handler of this client, earlier ones
    /// included, from the next attempt on. The first middleware is the outermost.
    ///
    /// It runs where its handler runs, within the attempt's timeout, and is cancelled together with
    /// the handler (A6). A fault that replaces the handler skips the middleware too (G2).
    public func use(_ middleware: @escaping TaskMiddleware) { layers.add(middleware) }

    /// The minimum level of `TaskContext.logger`; `info` by default.
    public var logLevel: TaskLogger.Level {
        get { layers.level }
        set { layers.level = newValue }
    }
}

/// The layers around the attempts of a client's handlers.
final class HandlerLayers: Sendable {
    private struct State: Sendable {
        var middleware: [TaskMiddleware] = []
        var level = TaskLogger.Level.info
    }

    private let state = Protected(State())

    func add(_ middleware: @escaping TaskMiddleware) {
        state.withLock { $0.middleware.append(middleware) }
    }

    var level: TaskLogger.Level {
        get { state.withLock { $0.level } }
        set { state.withLock { $0.level = newValue } }
    }

    /// A success with what the handler gave, all layers around it.
    func run(
        _ execution: Execution, _ report: any ExecutionReport,
        _ handler: @escaping @Sendable (TaskContext) async throws -> [UInt8]?
    ) async throws -> HandlerOutcome {
        let (middleware, level) = state.withLock { ($0.middleware, $0.level) }
        let context = TaskContext(execution: execution, report: report, logLevel: level)
        guard !middleware.isEmpty else { return .success(result: try await handler(context)) }
        let result = Protected<[UInt8]?>(nil)
        var next: @Sendable () async throws -> Void = {
            let value = try await handler(context)
            result.withLock { $0 = value }
        }
        for layer in middleware.reversed() {
            let within = next
            next = { try await layer(context, within) }
        }
        try await next()
        return .success(result: result.withLock { $0 })
    }

    /// Wraps a handler in all layers; returns it unchanged without layers.
    func around(_ handler: any TaskHandler) -> any TaskHandler {
        LayeredHandler(base: handler, layers: self)
    }

    fileprivate var isEmpty: Bool { state.withLock { $0.middleware.isEmpty } }
}

/// A handler that is no Swift function, with a client's layers around it.
private struct LayeredHandler: TaskHandler {
    let base: any TaskHandler
    let layers: HandlerLayers

    var timeoutMilliseconds: Int64? { base.timeoutMilliseconds }

    func shouldRestart(_ execution: Execution) -> Bool { base.shouldRestart(execution) }

    func beforeDelete(_ execution: Execution, outcome: HandlerOutcome) {
        base.beforeDelete(execution, outcome: outcome)
    }

    func beforeDelete(
        _ execution: Execution, outcome: HandlerOutcome,
        then end: @escaping @Sendable ([String]) -> Void
    ) {
        base.beforeDelete(execution, outcome: outcome, then: end)
    }

    func start(
        _ execution: Execution, report: any ExecutionReport
    ) -> any RunningExecution {
        guard !layers.isEmpty else { return base.start(execution, report: report) }
        let inner = InnerExecution()
        let (base, layers) = (base, layers)
        let outer = AsyncHandler { execution, report in
            try await layers.run(execution, report) { _ in
                try await inner.run(base, execution, report)
            }
        }
        return LayeredExecution(
            outer: outer.start(execution, report: report), inner: inner)
    }
}

private struct LayeredExecution: RunningExecution {
    let outer: any RunningExecution
    let inner: InnerExecution

    func stop() { outer.stop() }
    func kill() { inner.kill() }
}

/// Runs the handler inside the layers as an async call.
private final class InnerExecution: Sendable {
    private struct State: Sendable {
        var running: (any RunningExecution)?
        var isStopped = false
    }

    private let state = Protected(State())

    func run(
        _ handler: any TaskHandler, _ execution: Execution, _ report: any ExecutionReport
    ) async throws -> [UInt8]? {
        state.withLock { $0 = State() }
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let inner = InnerReport(report) { continuation.resume(returning: $0) }
                let running = handler.start(execution, report: inner)
                let isLate = state.withLock { state -> Bool in
                    state.running = running
                    return state.isStopped
                }
                if isLate { running.stop() }
            }
        } onCancel: {
            stop()
        }
        guard case .success(let result) = outcome else { throw HandlerError(outcome) }
        return result
    }

    private func stop() {
        let running = state.withLock { state in
            state.isStopped = true
            return state.running
        }
        running?.stop()
    }

    func kill() { state.withLock { $0.running }?.kill() }
}

/// Passes on a handler's reports; the middlewares report its end.
private final class InnerReport: ExecutionReport {
    private let report: any ExecutionReport
    private let end: Protected<(@Sendable (HandlerOutcome) -> Void)?>

    init(_ report: any ExecutionReport, end: @escaping @Sendable (HandlerOutcome) -> Void) {
        self.report = report
        self.end = Protected(end)
    }

    func progress(_ fraction: Double?, text: String?) { report.progress(fraction, text: text) }
    func log(_ line: String) { report.log(line) }
    func stage(_ name: String) { report.stage(name) }
    func exchange(_ line: String) { report.exchange(line) }
    func childStarted(pid: Int64, startTime: UInt64) {
        report.childStarted(pid: pid, startTime: startTime)
    }
    func childAtWork(pid: Int64, startTime: UInt64) {
        report.childAtWork(pid: pid, startTime: startTime)
    }
    func followUp(_ task: FollowUp) { report.followUp(task) }
    func restart(_ isWanted: Bool) { report.restart(isWanted) }
    func couldNotStart(_ reason: String) { report.couldNotStart(reason) }

    func finish(_ outcome: HandlerOutcome) {
        let end = end.withLock { end in
            defer { end = nil }
            return end
        }
        end?(outcome)
    }
}
