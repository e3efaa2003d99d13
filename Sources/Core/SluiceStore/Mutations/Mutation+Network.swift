package import SluiceModel

/// What a runner's row says of its network (B6, A3).
extension Mutation {
    /// A runner measured its network anew; that there is one takes back what a handler said. What
    /// is another state than before stands in the journal.
    package func setNetwork(_ state: NetworkState, of runner: ProcessID) throws {
        guard let process = try process(runner) else { return }
        var changed = process
        changed.network = state
        if state == .online { changed.offlineUntil = nil }
        if changed != process { try store.put(changed) }
        guard state != process.network ?? .online else { return }
        let isOffline = changed.offlineCause(at: now).map { "is offline: \($0.words)" }
        _ = try store.append([
            JournalEvent(
                at: real, kind: "network", queue: nil, task: nil, by: "sluice",
                text: "runner \(runner) \(isOffline ?? "has a network again")")
        ])
    }

    /// A handler found no network: for 30 s, or until there is one, its runner counts as offline.
    func markOffline(_ runner: ProcessID) throws {
        guard var process = try process(runner) else { return }
        process.offlineUntil = now + ProcessRecord.offlineMilliseconds
        try store.put(process)
    }

    private func process(_ id: ProcessID) throws -> ProcessRecord? {
        try store.processes().first { $0.id == id }
    }
}
