public import Sluice
public import Tracing

extension QueueClient {
    /// Runs each attempt in a span of the trace that its task has in its headers. Without such
    /// headers the span begins a trace.
    public func useTracing() {
        use { task, next in
            let execution = task.execution
            var context = ServiceContext.topLevel
            InstrumentationSystem.instrument.extract(
                execution.headers, into: &context, using: TaskHeaderCarrier())
            try await withSpan(
                "\(execution.task.queue) process", context: context, ofKind: .consumer
            ) { span in
                span.attributes["messaging.system"] = "sluice"
                span.attributes["messaging.destination.name"] = execution.task.queue
                span.attributes["messaging.message.id"] = "\(execution.task.id)"
                span.attributes["sluice.type"] = execution.task.type
                span.attributes["sluice.attempt"] = execution.number
                try await next()
            }
        }
    }
}

extension EnqueueRequest {
    /// Adds the headers of the current trace, or of another one:
    /// `app.enqueue(order) { $0.addTrace() }`.
    public mutating func addTrace(of context: ServiceContext? = .current) {
        guard let context else { return }
        InstrumentationSystem.instrument.inject(
            context, into: &headers, using: TaskHeaderCarrier())
    }
}

/// The headers of a task as the carrier of a trace. Names of headers have small letters.
public struct TaskHeaderCarrier: Injector, Extractor {
    /// The carrier of any task.
    public init() {}

    /// Sets a header.
    public func inject(_ value: String, forKey key: String, into headers: inout [String: String]) {
        headers[key.lowercased()] = value
    }

    /// The value of a header.
    public func extract(key: String, from headers: [String: String]) -> String? {
        headers[key.lowercased()]
    }
}
