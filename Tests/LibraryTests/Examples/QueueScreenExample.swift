import Sluice

/// The queue on an app's own screen.
struct QueueScreen {
    let app: QueueClient

    /// How many tasks wait or run, by their labels.
    func counts() async throws -> [String: Int] {
        let open = try await app.tasks(matching: "state:waiting,running")
        return Dictionary(grouping: open) { $0.label ?? $0.type }.mapValues(\.count)
    }

    /// Whether the mails of an order are queued already.
    func isQueued(order: Int) async throws -> Bool {
        let filter = "state:waiting,running unique:order-\(order)"
        return try await !app.tasks(matching: filter, limit: 1).isEmpty
    }

    /// One text about the failed tasks for the support, without the addresses.
    func report() async throws -> String {
        let failed = try await app.tasks(matching: "state:failed", limit: 20)
        return try await app.report(failed.map(\.id), redacting: ["payload.to"])
    }
}
