import SluicePlatform

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
