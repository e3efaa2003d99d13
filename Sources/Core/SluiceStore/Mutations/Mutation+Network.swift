package import SluiceModel

/// The network state in a runner's row (B6, A3).
extension Mutation {
    /// Records a runner's measured network state. `online` also clears an offline report of a
    /// handler. The journal records each change of state.
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
                text: "worker \(runner) \(isOffline ?? "has a network again")")
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
