/// Queries for an app: for its own screens, or an answer to a client.
extension QueueClient {
    /// The present task; `nil` if it does not exist or no longer exists.
    public func task(_ id: TaskID) async throws -> QueueTask? {
        try await store.read { try $0.task(id) }
    }

    /// The executions of a task, the oldest first; of one that runs the last has its progress.
    /// Empty for one that never ran, or that is not there.
    public func attempts(of id: TaskID) async throws -> [AttemptRecord] {
        try await store.read { try $0.attempts(of: id) }
    }

    /// The decoded payload of a task; `nil` if the task does not exist or has another type. Throws
    /// a `HandlerError` if decoding fails.
    public func payload<Payload: TaskPayload>(
        of id: TaskID, as type: Payload.Type
    ) async throws -> Payload? {
        let bytes = try await store.read { store in
            try store.task(id)?.type == Payload.taskType ? try store.payload(of: id) : nil
        }
        return try bytes.map { try PayloadCoding.decode(type, from: $0) }
    }

    /// The handler's result, while the store keeps the task; `nil` before success or without a
    /// result. Throws if decoding fails.
    public func result<Value: Decodable & Sendable>(
        of id: TaskID, as type: Value.Type
    ) async throws -> Value? {
        try await store.read { try $0.result(of: id) }
            .map { try PayloadCoding.decodeJSON(type, $0) }
    }

    /// The reasons why a task does not run, one sentence each, its own reasons first. Empty if it
    /// is eligible, running or ended. Throws `unknownTask`.
    public func why(_ id: TaskID) async throws -> [String] {
        try await look { try $0.line(id).blockers.map(\.text) }
    }

    /// Every queue with its figures: the larger priority first, then by name.
    public func queues() async throws -> [QueueOverview] {
        try await look { try $0.queues() }
    }

    /// Reads from the same snapshot as a page of the console.
    func look<Value: Sendable>(
        _ read: @escaping @Sendable (Reading) throws -> Value
    ) async throws -> Value {
        let now = control.now()
        let signs = VitalSigns(of: store)
        return try await store.read { store in
            try read(Reading(store, now: now, signs: signs))
        }
    }
}
