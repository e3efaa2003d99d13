extension QueueClient {
    /// Takes the newest step back, of a queue or of any: its task waits again as it did, and its
    /// follow-ups go to the trash (G5). `Answer.restored` says of which execution the effect stays,
    /// `Answer.consequences` and `failed` what others did since, which stays too. `undo` takes it
    /// back.
    ///
    /// Throws `notLegal` where no step is kept, or the queue runs something; `changed` where the
    /// task was executed again, deleted or moved since.
    @discardableResult
    public func stepBack(_ queue: String? = nil) async throws -> Answer {
        try await control.perform(.stepBack(queue: queue))
    }
}
