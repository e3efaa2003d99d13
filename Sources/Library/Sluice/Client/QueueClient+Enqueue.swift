public import FoundationEssentials
import SluiceSystem

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

extension QueueClient {
    /// Opens a run of a queue, or joins the open one, and returns after its end with the executions
    /// and the remaining tasks (D4). If a new pause stops it, `run.isOpen` is true. Attached
    /// runners execute it, such as a worker from `start`; without one it waits.
    @discardableResult
    public func run(_ queue: String, limit: RunLimit? = nil) async throws -> StepAnswer {
        try await end(of: try await control.openRun(queue, limit: limit))
    }

    /// Waits for the end of a run; returns immediately if it has ended.
    package func end(of run: FollowedRun) async throws -> StepAnswer {
        let control = control
        return try await firstValue { try run.outcome(in: Reading($0, now: control.now())) }
    }

    /// Reads after each change of the store, until a read gives a value.
    func firstValue<Value: Sendable>(
        _ read: @escaping @Sendable (any StoreReader) throws -> Value?
    ) async throws -> Value {
        let (notices, feed) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        feed.yield()
        let store = store
        let observation = try await offPool { try store.observe { feed.yield() } }
        defer { withExtendedLifetime(observation) {} }
        for await _ in notices {
            if let value = try await store.read(read) { return value }
        }
        throw CancellationError()
    }
}

/// When a schedule of an app is due.
public enum Recurrence: Hashable, Sendable {
    /// At minutes of a calendar: five fields, or a word such as `@daily`, by the clocks of a time
    /// zone of the machine's database.
    case cron(String, timeZone: String = Schedule.utc)
    /// Whenever so much time has passed, counted from 1970-01-01T00:00:00Z; whole milliseconds, at
    /// least a second.
    case every(Duration)
}

extension QueueClient {
    /// Enqueues a typed task on a schedule (section 13 of the rules), by default in the type's
    /// queue, or else in the default queue. Any attached runner enqueues it, once per moment across
    /// all machines, with the queue's attempts and without a unique key.
    ///
    /// An app may call this at each start: an equal schedule remains, and a different one replaces
    /// it. Throws `badValue` for an impossible recurrence, or a time zone unknown to this machine.
    @discardableResult
    public func schedule<Payload: TaskPayload>(
        _ name: String, _ recurrence: Recurrence, _ payload: Payload, to queue: String? = nil,
        missed: Schedule.Missed = .once
    ) async throws -> Schedule {
        var request = ScheduleRequest(
            name, try recurrence.spec, queue: queue ?? Payload.queue ?? defaultQueue,
            type: Payload.taskType,
            payload: try PayloadCoding.encode(payload))
        if case .cron(_, let timeZone) = recurrence { request.timeZone = timeZone }
        request.missed = missed
        let answer = try await control.perform(.setSchedule(request))
        guard let schedule = answer.schedules.first else { throw CancellationError() }
        return schedule
    }

    /// Removes a schedule; throws `badValue` for an unknown name.
    public func unschedule(_ name: String) async throws {
        try await control.perform(.schedule(.remove, name: name))
    }

    /// Every schedule of the store, by name.
    public func schedules() async throws -> [Schedule] {
        try await store.read { try $0.storeRecord().schedules.all }
    }
}

extension Recurrence {
    fileprivate var spec: ScheduleSpec {
        get throws(QueueError) {
            switch self {
            case .cron(let fields, _): return .cron(try CronSpec(fields))
            case .every(let time):
                let (seconds, rest) = time.components
                let milliseconds = seconds * 1000 + rest / 1_000_000_000_000_000
                return try ScheduleSpec("every \(max(0, milliseconds))ms")
            }
        }
    }
}

extension QueueClient {
    /// Opens a session by name. An earlier life of this program, or a helper with the same store,
    /// may have opened it before (S6). Its `reconnected` offers all tasks without a living owner.
    ///
    /// `types` are the task types, in addition to those this client handles or has enqueued. A task
    /// of another type is returned undecoded.
    public func session(
        _ name: String, of types: any TaskPayload.Type...
    ) async throws -> TaskSession {
        for type in types { know(type) }
        let session = try await offPool { try TaskSession(name, client: self) }
        try await session.begin()
        return session
    }
}
