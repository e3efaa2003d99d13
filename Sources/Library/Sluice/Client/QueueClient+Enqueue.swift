public import FoundationEssentials
import SluicePlatform

extension QueueClient {
    /// Enqueues a typed task, by default in the type's queue, or else in the default queue. The
    /// task is durable when this returns (P1). `configure` sets further properties of the task.
    ///
    /// The task is due `at` a moment of the store's clock, or `after` a time from now by that
    /// clock. With both, the later one applies; without either, it is due immediately. `headers`
    /// are texts for its handler, such as `traceparent` (T7).
    @discardableResult
    public nonisolated(nonsending) func enqueue<Payload: TaskPayload>(
        _ payload: Payload, to queue: String? = nil, at moment: Date? = nil,
        after delay: Duration? = nil, headers: [String: String] = [:],
        _ configure: (inout EnqueueRequest) -> Void = { _ in }
    ) async throws -> TaskID {
        var request = try EnqueueRequest(payload)
        request.headers = headers
        if let moment { request.notBefore = Timestamp(moment) }
        configure(&request)
        return try await enqueue(
            requests: [request], to: queue ?? Payload.queue, after: delay
        ).first ?? 0
    }

    /// Enqueues typed tasks in one commit, all or none (T3). Returns their numbers in the order of
    /// the payloads. If a unique key keeps a waiting task, its number takes the new one's place.
    /// Calls `configure` once per task. Without payloads it does nothing, and creates no queue.
    @discardableResult
    public nonisolated(nonsending) func enqueue<Payload: TaskPayload>(
        _ payloads: [Payload], to queue: String? = nil, after delay: Duration? = nil,
        headers: [String: String] = [:],
        _ configure: (Payload, inout EnqueueRequest) -> Void = { _, _ in }
    ) async throws -> [TaskID] {
        let requests = try payloads.map { payload in
            var request = try EnqueueRequest(payload)
            request.headers = headers
            configure(payload, &request)
            return request
        }
        guard !requests.isEmpty else { return [] }
        return try await enqueue(requests: requests, to: queue ?? Payload.queue, after: delay)
    }

    private nonisolated(nonsending) func enqueue(
        requests: [EnqueueRequest], to name: String?, after delay: Duration?
    ) async throws -> [TaskID] {
        let queue = name ?? defaultQueue
        let tell = mistakes.withLock { $0 }
        let isAsked = tell != nil && requests.contains { !$0.groupMembers.isEmpty }
        let (ids, found) = try await store.transact(at: control.now()) { mutation in
            var requests = requests
            if let delay {
                let begin = mutation.now + delay.milliseconds
                for place in requests.indices {
                    requests[place].notBefore = max(begin, requests[place].notBefore ?? begin)
                }
            }
            let result = try mutation.enqueue(requests, to: queue)
            return (
                result.ids, isAsked ? try mutation.store.groupMistakes(of: result.added) : []
            )
        }
        if let tell { for mistake in found { tell(mistake.task, mistake.description) } }
        return ids
    }

    /// Reports members that this client enqueues from now on into a queue without a start of their
    /// group. An example is a start in another queue. No start holds such members, which is legal
    /// but rarely intended. Each enqueue of a member costs a few extra queries; follow-ups and
    /// session tasks are exempt. Calls `tell` after the commit with the task and a sentence.
    public func onGroupMistake(_ tell: @escaping @Sendable (TaskID, String) -> Void) {
        mistakes.withLock { $0 = tell }
    }
}

extension EnqueueRequest {
    /// A task of a payload: its type, its bytes with the version that the payload has now, and what
    /// the type says of attempts and unique keys.
    public init<Payload: TaskPayload>(_ payload: Payload) throws {
        self.init(
            type: Payload.taskType, payload: try PayloadCoding.encode(payload),
            attemptLimit: Payload.attempts, uniqueKey: payload.uniqueKey)
        uniquePolicy = Payload.uniquePolicy
        uniqueFor = Payload.uniqueFor
    }

    /// How long after its enqueue a task has its unique key, also while it runs and after its end
    /// (T5). `.zero` means until its end, nil while it waits. The queue must keep ended tasks as
    /// long (`.keepFinished`).
    public var uniqueFor: Duration? {
        get {
            switch uniqueTime {
            case .waiting: nil
            case .end: .zero
            case .milliseconds(let time): .milliseconds(time)
            }
        }
        set {
            let time = newValue.map { max(0, $0.milliseconds) }
            uniqueTime = time.map { $0 == 0 ? .end : .milliseconds($0) } ?? .waiting
        }
    }
}
