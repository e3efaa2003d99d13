import SluicePlatform

extension QueueClient {
    /// Opens a session by its name, whoever opened it before: this program, an earlier life of it,
    /// or a helper with the same store (S6). What no living process waits for is offered to it at
    /// once, as its `reconnected`.
    ///
    /// `types` are those that its tasks may have, beside those that this client handles or has
    /// enqueued; a task of another one is given back as it stands in the store.
    public func session(
        _ name: String, of types: any TaskPayload.Type...
    ) async throws -> TaskSession {
        for type in types { know(type) }
        let session = try await offPool { try TaskSession(name, client: self) }
        try await session.begin()
        return session
    }
}
