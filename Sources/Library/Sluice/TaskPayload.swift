/// The work of a task type as a Swift value. It is encoded at the enqueue, as a snapshot (section
/// 1), and decoded for its handler or for the session that collects its result.
public protocol TaskPayload: Codable, Sendable {
    /// The task's type name.
    static var taskType: String { get }
    /// The version of the encoding, from 1. Raise it if older programs cannot read the new one.
    /// Unless it is 1, the payload contains it as `$version`.
    static var payloadVersion: Int { get }
    /// Reads what an older version wrote, as its JSON (PN-18).
    static func upgrade(_ payload: [UInt8], from version: Int) throws -> Self
    /// The queue of an enqueue that names none. Without one a client uses its default queue, a
    /// session its own, and a handler's follow-up the queue of its task.
    static var queue: String? { get }
    /// The attempt limit of new tasks (default: the queue's limit for the type).
    static var attempts: Int? { get }
    /// The wait after an error of the handler (default: the queue's rule). A wait in the error goes
    /// first. The queue's rule applies after a timeout and after the death of a worker.
    static var retry: RetryRule? { get }
    /// The unique key of the task (T5); `nil` for none.
    var uniqueKey: String? { get }
    /// The effect of an enqueue while a task with this key waits.
    static var uniquePolicy: UniquePolicy { get }
    /// How long after its enqueue a task has the key: `.zero` until its end, nil while it waits.
    static var uniqueFor: Duration? { get }
}

extension TaskPayload {
    /// The first version.
    public static var payloadVersion: Int { 1 }

    /// No queue.
    public static var queue: String? { nil }
    /// The limit of the queue.
    public static var attempts: Int? { nil }
    /// The rule of the queue.
    public static var retry: RetryRule? { nil }
    /// No key.
    public var uniqueKey: String? { nil }
    /// The waiting task stays, and its number is returned.
    public static var uniquePolicy: UniquePolicy { .keep }
    /// While the task waits.
    public static var uniqueFor: Duration? { nil }

    /// As if this version had written it: enough where fields that came later are optional.
    public static func upgrade(_ payload: [UInt8], from version: Int) throws -> Self {
        try PayloadCoding.decodeJSON(Self.self, payload)
    }

    /// Reads the payload of a task, as its handler would: also what an older version wrote.
    ///
    /// Throws a `HandlerError` for what cannot be read.
    public init(encoded payload: [UInt8]) throws {
        self = try PayloadCoding.decode(Self.self, from: payload)
    }

    /// The bytes that `enqueue` would write, for changing the payload of an existing task.
    public func encoded() throws -> [UInt8] { try PayloadCoding.encode(self) }

    /// An error of the type's handler, with the wait of the type's rule unless it has its own.
    static func ruled(
        _ error: any Error, _ execution: Execution, _ chance: () -> Double
    ) -> any Error {
        guard let retry else { return error }
        let text: String?
        switch (error as? HandlerError)?.outcome {
        case nil: text = String(describing: error)
        case .retry(afterMilliseconds: nil, let error)?: text = error
        default: return error
        }
        let wait = retry.delayMilliseconds(
            afterFailure: execution.task.attempts + 1, chance: chance())
        return HandlerError(.retry(afterMilliseconds: wait, error: text))
    }
}
