/// What an app asks of its store: for a page of its own, or an answer to who enqueued.
extension QueueClient {
    /// A task as it is now; nil where there is none of that number, or none any more.
    public func task(_ id: TaskID) async throws -> QueueTask? {
        try await store.read { try $0.task(id) }
    }

    /// The executions of a task, the oldest first; of one that runs the last has its progress.
    /// Empty for one that never ran, or that is not there.
    public func attempts(of id: TaskID) async throws -> [AttemptRecord] {
        try await store.read { try $0.attempts(of: id) }
    }

    /// What a task was enqueued with, as its handler would read it; nil where there is none, or it
    /// is of another type. Throws a `HandlerError` for what cannot be read.
    public func payload<Payload: TaskPayload>(
        of id: TaskID, as type: Payload.Type
    ) async throws -> Payload? {
        let bytes = try await store.read { store in
            try store.task(id)?.type == Payload.taskType ? try store.payload(of: id) : nil
        }
        return try bytes.map { try PayloadCoding.decode(type, from: $0) }
    }

    /// What the handler of a task gave back, as long as the task is kept; nil where it has not
    /// succeeded, or gives nothing. Throws where it does not decode.
    public func result<Value: Decodable & Sendable>(
        of id: TaskID, as type: Value.Type
    ) async throws -> Value? {
        try await store.read { try $0.result(of: id) }
            .map { try PayloadCoding.decodeJSON(type, $0) }
    }

    /// Why a task does not run, a sentence for each reason, those of the task itself first; empty
    /// where nothing is in its way, and for one that runs or has ended. Throws `unknownTask`.
    public func why(_ id: TaskID) async throws -> [String] {
        try await look { try $0.line(id).blockers.map(\.text) }
    }

    /// Every queue with its figures: the larger priority first, then by name.
    public func queues() async throws -> [QueueOverview] {
        try await look { try $0.queues() }
    }

    /// What a page of the console would read, as it is now.
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
