public import QueueModel

extension EnqueueRequest {
    /// Throws where the task can never come into a queue with these settings: its names, its
    /// attempt limit, its size, its depth (T6).
    public func check(_ settings: QueueSettings, queue: String) throws(QueueError) {
        try Names.check(type, of: "type")
        if let groupStart { try Names.check(groupStart, of: "group") }
        for group in groupMembers { try Names.check(group, of: "group") }
        if let uniqueKey { try Names.check(uniqueKey, of: "unique key") }
        if let limit = attemptLimit, limit < 1 {
            throw QueueError(
                .badValue, "attempts is \(limit)", fix: "a task needs at least 1 attempt")
        }
        let most = settings.maximumPayloadBytes
        if payload.count > most {
            throw QueueError(
                .payloadTooLarge,
                "the payload has \(payload.count) bytes, and \(queue) takes at most "
                    + "\(SizeText.compact(most))",
                fix: "sluice queue set \(queue) --max-payload SIZE allows more")
        }
        if depth > settings.maximumDepth {
            throw QueueError(
                .tooDeep,
                "a chain of follow-ups \(depth) deep, and \(queue) allows "
                    + "\(settings.maximumDepth)",
                fix: "a task keeps enqueueing itself, or sluice queue set \(queue) "
                    + "--max-depth N")
        }
    }
}
