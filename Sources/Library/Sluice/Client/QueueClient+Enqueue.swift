public import FoundationEssentials
import SluicePlatform

extension QueueClient {
    /// Enqueues a typed task, in the default queue unless another one is named; it is durable when
    /// this returns (P1). `configure` says what else an enqueue may say of a task.
    ///
    /// It is due `at` a moment by the clock of the store, or `after` a time from now by that clock;
    /// where both are given, at the later of the two, and without one at once.
    @discardableResult
    public nonisolated(nonsending) func enqueue<Payload: TaskPayload>(
        _ payload: Payload, to queue: String? = nil, at moment: Date? = nil,
        after delay: Duration? = nil, _ configure: (inout EnqueueRequest) -> Void = { _ in }
    ) async throws -> TaskID {
        var request = try EnqueueRequest(payload)
        if let moment { request.notBefore = Timestamp(moment) }
        configure(&request)
        return try await enqueue(requests: [request], to: queue, after: delay).first ?? 0
    }

    /// Enqueues typed tasks in one commit, all or none (T3), and gives their numbers in the order
    /// of the payloads; a task that a unique key keeps gives the number of the one that waits.
    /// `configure` is asked once for each. No payload enqueues nothing, and makes no queue.
    @discardableResult
    public nonisolated(nonsending) func enqueue<Payload: TaskPayload>(
        _ payloads: [Payload], to queue: String? = nil, after delay: Duration? = nil,
        _ configure: (Payload, inout EnqueueRequest) -> Void = { _, _ in }
    ) async throws -> [TaskID] {
        let requests = try payloads.map { payload in
            var request = try EnqueueRequest(payload)
            configure(payload, &request)
            return request
        }
        guard !requests.isEmpty else { return [] }
        return try await enqueue(requests: requests, to: queue, after: delay)
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

    /// Tells from now on, after the commit, of members that this client enqueues into a queue in
    /// which nothing starts their group, such as one whose start was enqueued elsewhere: nothing
    /// holds them, which is legal and seldom meant. Each enqueue of a member asks the store a few
    /// questions more; follow-ups of handlers and what a session hands over are not asked about.
    /// `tell` is given the task and a sentence.
    public func onGroupMistake(_ tell: @escaping @Sendable (TaskID, String) -> Void) {
        mistakes.withLock { $0 = tell }
    }
}

extension EnqueueRequest {
    /// A task of a payload: its type, and its bytes with the version that the payload has now.
    public init<Payload: TaskPayload>(_ payload: Payload) throws {
        self.init(type: Payload.taskType, payload: try PayloadCoding.encode(payload))
    }
}
