extension QueueTask {
    /// The age in milliseconds after which a Customer.io SDK removes a task, by its default.
    package static let appStartExpiry: Int64 = 3 * 86_400_000

    /// Whether the SDK of a Customer.io folder removes it when its app starts next: it waits, is
    /// older than three days, and starts no group (CIO-20).
    package func expiresAtAppStart(real: Timestamp) -> Bool {
        appStartRemoval.map { $0 < real } ?? false
    }

    /// The moment after which a start of the app removes it; nil for a task that stays.
    package var appStartRemoval: Timestamp? {
        waiting != nil && groupStart == nil ? createdAt + Self.appStartExpiry : nil
    }
}

extension QueueSettings {
    /// When a task of the queue expires that arrived at a moment; nil for one that does not.
    package func expiry(of task: QueueTask, from moment: Timestamp) -> Timestamp? {
        guard task.groupStart == nil || startsExpire else { return nil }
        return expiresAfterMilliseconds.map { moment + $0 }
    }
}
